import {
  type FoundStatementAnswer,
  findings,
  findParams,
  findQuery,
  foundStatements,
  searchQuery,
} from '../../../contract/integrity/findings.ts';
import { rangeOf } from '../../../contract/parameters.ts';
import { trustAnswer } from '../../../contract/sentences.ts';
import { bareId } from '../../../contract/words/text.ts';
import { known } from '../../../domain/access/access.ts';
import { scopeFor } from '../../../domain/integrity/access/statement-scope.ts';
import { cidUrn } from '../../../domain/integrity/identifiers/cid.ts';
import type { NameIndex } from '../../../domain/integrity/names/name-index.ts';
import type { GraphStore, StoredStatement } from '../../../domain/integrity/ports.ts';
import { claimOf } from '../../../domain/integrity/signatures/proven.ts';
import type { Trust, TrustReader } from '../../../domain/integrity/signatures/trust.ts';
import {
  credentialId,
  type Findings,
  type FindPorts,
  findIdentifier,
} from '../../../domain/integrity/statements/find.ts';
import type { StatementIndex } from '../../../domain/integrity/statements/questions.ts';
import type { App } from '../../../platform/http/app.ts';
import { type JsonPieces, nextJson, pageRequest } from '../../answering.ts';
import { errorAnswer, jsonAnswer } from '../../answers.ts';
import { operation } from '../operation.ts';

interface FindRoutes extends FindPorts {
  readonly graphs: Pick<GraphStore, 'get'>;
  readonly trust: TrustReader;
}

export function findRoutes(app: App, ports: FindRoutes): void {
  operation(app, 'GET /cid/v1/find/{cid}', {
    access: known,
    tag: 'Search',
    summary: 'Find everything about a CID, UUID or DID',
    description:
      'The blob, the statement that it names (role self), and the statements that refer to it, by their place (the field and the @type), newest first. With graph_id, unverified statements come before the others. A page may be shorter than its limit. The last page has no next_cursor.',
    params: findParams,
    query: findQuery,
    answers: {
      200: jsonAnswer('What is known and visible to the caller', findings),
      404: errorAnswer('Nothing is known about it, or the graph does not exist'),
    },
    handle: async ({ answer, principal, params, query }) => {
      const scope = await scopeFor(ports.graphs, principal, query.graph_id ?? null);
      const found = await findIdentifier(ports, params.cid, pageRequest(query), scope);
      const trust = await ports.trust(found.statements.map(({ statement }) => claimOf(statement)));
      return answer(200, { cid: bareId(params.cid), ...findingsJson(found, trust) });
    },
  });
}

function findingsJson(
  { blob, statements, variants, folders, files, next }: Findings,
  trust: ReadonlyMap<string, Trust>,
) {
  const all = statements.map(({ statement }) => statement);
  return {
    blob,
    statements: statements.map(({ statement, role }) => ({
      id: cidUrn(statement.rdfcCid),
      type: statement.kind,
      role,
      graph_ids: statement.graphIds,
      trust: trustAnswer(trust.get(cidUrn(statement.rdfcCid))),
      ...(!statement.isTrusted && { unverified: true as const }),
    })),
    ...(variants.length > 0 && { variants: variants.map(({ text }) => text) }),
    ...(folders && { folders: folders.map(({ folder, path }) => ({ collection: bareId(folder), path })) }),
    ...(files !== undefined && { files }),
    credentials: unique(all.map(credentialId)),
    graphs: unique(all.flatMap(({ graphIds }) => graphIds)),
    ...nextJson({ next }),
  };
}

function unique(texts: readonly (string | undefined)[]): string[] {
  return [...new Set(texts)].filter((text) => text !== undefined);
}

interface StatementSearchRoutes {
  readonly statementIndex: Pick<StatementIndex, 'search'>;
  readonly names: Pick<NameIndex, 'search'>;
  readonly graphs: Pick<GraphStore, 'get'>;
  readonly trust: TrustReader;
}

export function statementSearchRoutes(
  app: App,
  { statementIndex, names, graphs, trust }: StatementSearchRoutes,
): void {
  operation(app, 'GET /statements/v1', {
    access: known,
    tag: 'Search',
    summary: 'Search statements, newest first',
    description:
      'A statement can be found as soon as its write was answered. The statement that was stored last comes first. If only after and before are given, or these with type, the latest timestamp comes first. With name, the statements are sorted by name, and the latest timestamp of a name comes first. With graph_id, unverified statements come before the others. A page may be shorter than its limit, or empty, if many rows had to be skipped. The last page has no next_cursor. GET /cid/v1/find/{cid} finds everything that refers to an identifier in any field.',
    query: searchQuery,
    answers: {
      200: jsonAnswer('A page of statements', foundStatements),
      404: errorAnswer('The graph does not exist'),
    },
    handle: async ({ answerList, principal, query }) => {
      const scope = await scopeFor(graphs, principal, query.graph_id ?? null);
      const filter = {
        kind: query.type ?? null,
        subject: query.subject ?? null,
        registeredBy: query.registered_by ?? null,
        ...rangeOf(query),
      };
      const page = pageRequest(query);
      const found =
        query.name === undefined
          ? await statementIndex.search(filter, page, scope)
          : await names.search(query.name, filter, page, scope);
      const trusts = await trust(found.statements.map(claimOf));
      return await answerList('statements', jsonOfStatements(found.statements, trusts), found);
    },
  });
}

function* jsonOfStatements(
  statements: readonly StoredStatement[],
  trusts: ReadonlyMap<string, Trust>,
): Generator<JsonPieces<FoundStatementAnswer>> {
  for (const { rdfcCid, jcsCid, kind, graphIds, jcs, isTrusted } of statements) {
    const id = cidUrn(rdfcCid);
    const trust = trustAnswer(trusts.get(id));
    const about = { id, jcs_cid: jcsCid.text, type: kind, graph_ids: graphIds, trust };
    const start = `${JSON.stringify(about).slice(0, -1)},"statement":`;
    yield [start, jcs, isTrusted ? '}' : ',"unverified":true}'];
  }
}
