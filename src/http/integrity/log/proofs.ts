import type { Context } from 'hono';
import {
  proofHeaders,
  proofParams,
  proofQuery,
  proofsBody,
  receiptsAnswer,
  type Standings,
  standingsAnswer,
  standingsBody,
} from '../../../contract/integrity/log.ts';
import { standingAnswer } from '../../../contract/log-words.ts';
import { plainText } from '../../../contract/values.ts';
import { anywhere, known, type Principal } from '../../../domain/access/access.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { cidUrn, parseCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { LoggedStatements } from '../../../domain/integrity/logged/logged-statements.ts';
import { type ReceiptPorts, statementReceipts } from '../../../domain/integrity/logged/receipts.ts';
import {
  graphStanding,
  type StandingPorts,
  statementStandings,
} from '../../../domain/integrity/logged/standings.ts';
import { awaited } from '../../../domain/log/waiting.ts';
import type { App } from '../../../platform/http/app.ts';
import { readyAnswer } from '../../answering.ts';
import { errorAnswer, jsonAnswer } from '../../answers.ts';
import { parsedJsonBody, type RequestLimits } from '../../parsed-request.ts';
import { endOfWait, waitOf } from '../../preferences.ts';
import { operation } from '../operation.ts';

const tag = 'Log';
const bodyLimit = 1 << 20;

export interface ProofRoutes extends ReceiptPorts, StandingPorts {
  readonly limits: RequestLimits;
  /** Aborted when the process is about to end. */
  readonly stopping: AbortSignal;
}

/** Receipts of statements. */
export function proofRoutes(app: App, ports: ProofRoutes): void {
  operation(app, 'GET /log/v1/proof/{statement}', {
    access: anywhere('view_project_data'),
    tag,
    summary: 'Read the receipt of a statement',
    description:
      'A proof (c2sp.org/tlog-proof) that the service log commits to the statement. The extra line has the path from the statement to the head of the log of its graph.',
    headers: proofHeaders,
    params: proofParams,
    query: proofQuery,
    answers: {
      200: { description: 'The receipt', content: { 'text/plain': { schema: plainText } } },
      404: errorAnswer('There is no such statement, or it is not in that graph'),
      409: errorAnswer('No published checkpoint has the statement yet'),
    },
    handle: async ({ context, principal, params, query }) => {
      const statement = parseCid(params.statement);
      const asked = { statements: [statement], graphId: query.graph_id ?? null };
      const [found] = await receiptsFor(context, ports, principal, asked);
      if (!found?.receipt)
        throw new ServiceError(
          'not_logged',
          `No published checkpoint of the log has the statement ${cidUrn(statement)} yet. Ask again after a second, or with Prefer: wait=10.`,
          { retryAfter: 1 },
        );
      const { rdfcCid, receipt } = found;
      const headers = {
        'content-type': 'text/plain; charset=utf-8',
        'content-disposition': `attachment; filename="${rdfcCid.text}.tlog-proof"`,
        'cache-control': 'private, no-cache',
        ...appliedWait(context),
      };
      return readyAnswer(new Response(receipt, { headers }));
    },
  });

  operation(app, 'POST /log/v1/proofs', {
    access: anywhere('view_project_data'),
    audit: 'none',
    tag,
    summary: 'Read the receipts of many statements',
    description: 'At most 1,000 at once, all from one checkpoint. Nothing is stored.',
    headers: proofHeaders,
    body: { 'application/json': { schema: proofsBody } },
    answers: {
      200: jsonAnswer('The receipts in the order of the request', receiptsAnswer),
      404: errorAnswer('There is no such statement, or it is not in that graph'),
    },
    handle: async ({ context, answer, principal }) => {
      const { statements, graph_id } = await parsedJsonBody(context, proofsBody, ports.limits, bodyLimit);
      const asked = { statements: statements.map(parseCid), graphId: graph_id ?? null };
      const found = await receiptsFor(context, ports, principal, asked);
      const receipts = found.map(({ rdfcCid, jcsCid, graphId, receipt }) => ({
        ...{ statement_id: cidUrn(rdfcCid), jcs_cid: jcsCid.text },
        ...{ graph_id: graphId, receipt },
      }));
      return answer(200, { receipts });
    },
  });

  operation(app, 'POST /log/v1/standings', {
    access: known,
    audit: 'none',
    tag,
    summary: 'Read since when statements and graphs are in the log, and who has confirmed it',
    description:
      'With Prefer: wait, the answer comes as soon as nothing is waiting. For a proof, ask for a receipt. Nothing is stored.',
    headers: proofHeaders,
    body: { 'application/json': { schema: standingsBody } },
    answers: {
      200: jsonAnswer('What the log has', standingsAnswer),
      404: errorAnswer('There is no such graph (graph_id)'),
    },
    handle: async ({ context, answer, principal }) => {
      const asked = await parsedJsonBody(context, standingsBody, ports.limits, bodyLimit);
      const { graph_id: graphId, graphs } = asked;
      const statements = asked.statements.map(parseCid);
      const look = async () => ({
        statements: (await statementStandings(ports, principal, { statements, graphId })).map(standingAnswer),
        graphs: await Array.fromAsync(graphs, async (id) => {
          const { standing, entries } = await graphStanding(ports, principal, id);
          return { ...standingAnswer(standing), entries };
        }),
      });
      const isEnough = (found: Standings) =>
        [...found.statements, ...found.graphs].every(({ state }) => state !== 'waiting');
      return answer(200, await awaited(look, isEnough, waitFor(context, ports)));
    },
  });
}

function appliedWait(context: Context): Record<string, string> {
  const wait = waitOf(context);
  return wait > 0 ? { 'preference-applied': `wait=${wait}` } : {};
}

async function receiptsFor(
  context: Context,
  ports: ProofRoutes,
  principal: Principal,
  asked: LoggedStatements,
) {
  return await statementReceipts(ports, principal, { ...asked, signal: waitFor(context, ports) });
}

/** Ends the waiting that the caller prefers. */
function waitFor(context: Context, { stopping }: ProofRoutes): AbortSignal {
  for (const [name, value] of Object.entries(appliedWait(context))) context.header(name, value);
  const wait = waitOf(context);
  return wait > 0 ? endOfWait(context, wait, stopping) : AbortSignal.abort();
}
