import { lineageParams, reportQuery } from '../../contract/integrity/lineage.ts';
import { plainText } from '../../contract/values.ts';
import { fileName } from '../../contract/words/file-name.ts';
import { bareId } from '../../contract/words/text.ts';
import { callerKey, known } from '../../domain/access/access.ts';
import { scopeFor } from '../../domain/integrity/access/statement-scope.ts';
import type { Cid } from '../../domain/integrity/identifiers/cid.ts';
import { type StandingPorts, statementStandings } from '../../domain/integrity/logged/standings.ts';
import type { WorkLimit } from '../../domain/integrity/ports.ts';
import { reportOnStored, type StoredReporting } from '../../domain/integrity/report/stored.ts';
import type { App } from '../../platform/http/app.ts';
import { reportPage, reportPolicy } from '../../ui/report/report-page.ts';
import { wholeAnswer } from '../answering.ts';
import { errorAnswer } from '../answers.ts';
import { disposition } from '../download-name.ts';
import { operation } from './operation.ts';

export type ReportRoutes = Omit<StoredReporting, 'standings'> &
  StandingPorts & {
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
      'What it is, what it was made from, who says so, whether that is signed and stands, what was verified, what is missing, and how to check it. The ids of up to 1,000 statements (32 MiB) and up to 64 MiB of content are computed again; the report says what was not. The header Cairn-Report-Problems counts what is not as it should be.',
    params: lineageParams,
    query: reportQuery,
    answers: {
      200: {
        description: 'The report on what is visible to the caller. It loads nothing',
        content: { 'text/html': { schema: plainText } },
      },
      404: errorAnswer('Nothing is known about it, or the graph does not exist'),
    },
    handle: async ({ context, principal, params, query }) => {
      const scope = await scopeFor(ports.graphs, principal, query.graph_id ?? null);
      const standings = (statements: readonly Cid[]) =>
        statementStandings(ports, principal, { statements, graphId: scope.graphId });
      const make = async () => {
        const report = await reportOnStored({ ...ports, standings }, params.id, scope, ports.publicUrl());
        const name = report.names.get(report.subjects[0]?.id ?? '');
        return { page: await reportPage(report), problems: report.checks.faults.count, name };
      };
      const { page, problems, name } = await ports.lineages.run(make, callerKey(principal));
      const subject = fileName(name, bareId(params.id).slice(0, nameLength));
      return wholeAnswer(context, page, {
        'content-type': 'text/html; charset=utf-8',
        'content-disposition': disposition(`report-${subject}.html`),
        'content-security-policy': `${reportPolicy}; sandbox`,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'cairn-report-problems': String(problems),
      });
    },
  });
}
