import type { Context } from 'hono';
import {
  proofHeaders,
  proofParams,
  proofQuery,
  proofsBody,
  receiptsAnswer,
} from '../../../contract/integrity/log.ts';
import { plainText } from '../../../contract/values.ts';
import { anywhere, type Principal } from '../../../domain/access/access.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { cidUrn, parseCid } from '../../../domain/integrity/identifiers/cid.ts';
import {
  type ReceiptPorts,
  type ReceiptRequest,
  statementReceipts,
} from '../../../domain/integrity/statements/receipts.ts';
import type { App } from '../../../platform/http/app.ts';
import { readyAnswer } from '../../answering.ts';
import { errorAnswer, jsonAnswer } from '../../answers.ts';
import { parsedJsonBody, type RequestLimits } from '../../parsed-request.ts';
import { endOfWait, waitOf } from '../../preferences.ts';
import { operation } from '../operation.ts';

const tag = 'Log';
const bodyLimit = 1 << 20;

export interface ProofRoutes extends ReceiptPorts {
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
}

function appliedWait(context: Context): Record<string, string> {
  const wait = waitOf(context);
  return wait > 0 ? { 'preference-applied': `wait=${wait}` } : {};
}

/** Waits as long as the caller prefers. */
async function receiptsFor(
  context: Context,
  ports: ProofRoutes,
  principal: Principal,
  asked: Omit<ReceiptRequest, 'signal'>,
) {
  for (const [name, value] of Object.entries(appliedWait(context))) context.header(name, value);
  const wait = waitOf(context);
  const signal = wait > 0 ? endOfWait(context, wait, ports.stopping) : AbortSignal.abort();
  return await statementReceipts(ports, principal, { ...asked, signal });
}
