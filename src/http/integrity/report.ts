import { lineageParams, reportQuery } from '../../contract/integrity/lineage.ts';
import { plainText } from '../../contract/values.ts';
import { fileName } from '../../contract/words/file-name.ts';
import { bareId } from '../../contract/words/text.ts';
import { callerKey, known, type Principal } from '../../domain/access/access.ts';
import { ServiceError } from '../../domain/errors.ts';
import { scopeFor } from '../../domain/integrity/access/statement-scope.ts';
import type { Cid } from '../../domain/integrity/identifiers/cid.ts';
import { statementStandings } from '../../domain/integrity/logged/standings.ts';
import { type CheckingPorts, checkStored } from '../../domain/integrity/policies/check-stored.ts';
import { fillTemplate, gapsIn } from '../../domain/integrity/policies/fill-template.ts';
import type { Policy } from '../../domain/integrity/policies/read-policy.ts';
import type { WorkLimit } from '../../domain/integrity/ports.ts';
import { reportOnStored, type StoredReporting } from '../../domain/integrity/report/stored.ts';
import type { App } from '../../platform/http/app.ts';
import { reportPage, reportPolicy } from '../../ui/report/report-page.ts';
import { templatePage } from '../../ui/template-report/template-page.ts';
import { templateNamed, templateNames } from '../../ui/template-report/templates.ts';
import { wholeAnswer } from '../answering.ts';
import { errorAnswer } from '../answers.ts';
import { disposition } from '../download-name.ts';
import { operation } from './operation.ts';

export type ReportRoutes = Omit<StoredReporting, 'standings'> &
  CheckingPorts & {
    /** Shared with lineages, because a report is one. */
    readonly lineages: WorkLimit;
    readonly publicUrl: () => string;
  };

const nameLength = 24;

export function reportRoutes(app: App, ports: ReportRoutes): void {
  operation(app, 'GET /report/v1/{id}', {
    access: known,
    tag: 'Search',
    summary: 'Report on the origins of something, as one HTML file to read and print',
    description:
      'Without a template: what it is, what it was made from, who says so, whether that is signed and stands, what was verified, what is missing, and how to check it. The ids of up to 1,000 statements (32 MiB) and up to 64 MiB of content are computed again; the report says what was not. The header Cairn-Report-Problems counts what is not as it should be. With a template: its gaps first, then its chapters, then the statements that they rest on. The header Cairn-Report-Gaps counts the demands that are not met.',
    params: lineageParams,
    query: reportQuery,
    answers: {
      200: {
        description: 'The report on what is visible to the caller. It loads nothing',
        content: { 'text/html': { schema: plainText } },
      },
      400: errorAnswer('The identifier is none, or Cairn has no such template'),
      404: errorAnswer('Nothing is known about it, or the graph does not exist'),
    },
    handle: async ({ context, principal, params: { id }, query }) => {
      const { template, graph_id: graphId = null } = query;
      const request = { id, graphId, principal };
      const policy = template === undefined ? undefined : templateOf(template);
      const make = () => (policy ? filledTemplate(ports, policy, request) : report(ports, request));
      const { page, name, begin, headers } = await ports.lineages.run(make, callerKey(principal));
      const subject = fileName(name, bareId(id).slice(0, nameLength));
      return wholeAnswer(context, page, {
        'content-type': 'text/html; charset=utf-8',
        'content-disposition': disposition(`${begin}-${subject}.html`),
        'content-security-policy': `${reportPolicy}; sandbox`,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        ...headers,
      });
    },
  });
}

interface Request {
  readonly id: string;
  readonly graphId: string | null;
  readonly principal: Principal;
}

interface Made {
  readonly page: string;
  /** What metadata calls the subject. */
  readonly name: string | undefined;
  /** How the name of the file begins. */
  readonly begin: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function report(ports: ReportRoutes, { id, graphId, principal }: Request): Promise<Made> {
  const scope = await scopeFor(ports.graphs, principal, graphId);
  const standings = (statements: readonly Cid[]) =>
    statementStandings(ports, principal, { statements, graphId: scope.graphId });
  const made = await reportOnStored({ ...ports, standings }, id, scope, ports.publicUrl());
  const headers = { 'cairn-report-problems': String(made.checks.faults.count) };
  const name = made.names.get(made.subjects[0]?.id ?? '');
  return { page: await reportPage(made), name, begin: 'report', headers };
}

function templateOf(name: string): Policy {
  const names = templateNames.join(', ');
  const message = `There is no template ${JSON.stringify(name)}. There are: ${names}.`;
  return templateNamed(name) ?? fail(message);
}

function fail(message: string): never {
  throw new ServiceError('invalid_request', message);
}

async function filledTemplate(
  ports: ReportRoutes,
  policy: Policy,
  { id: subject, graphId, principal }: Request,
): Promise<Made> {
  const checked = await checkStored(ports, principal, { subject, policy, graphId, explain: true });
  const filled = await fillTemplate(policy, checked);
  const page = await templatePage({ ...filled, source: { kind: 'service', url: ports.publicUrl() } });
  const [facts] = filled.facts;
  const name = facts?.things.artefacts[facts.subject]?.name;
  const headers = { 'cairn-report-gaps': String(gapsIn(filled.check)) };
  return { page, name, begin: policy.document.name, headers };
}
