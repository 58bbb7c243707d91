import { z } from '@hono/zod-openapi';
import { cidText, graphParameter, identifierParameter, unverified } from '../../../contract/values.ts';
import { known } from '../../../domain/access/access.ts';
import { scopeFor } from '../../../domain/integrity/access/statement-scope.ts';
import { cidUrn } from '../../../domain/integrity/identifiers/cid.ts';
import { bareIdentifier } from '../../../domain/integrity/identifiers/identifiers.ts';
import type { GraphStore } from '../../../domain/integrity/ports.ts';
import type { Trust, TrustReader } from '../../../domain/integrity/signatures/trust.ts';
import {
  credentialId,
  type Findings,
  type FindPorts,
  findIdentifier,
} from '../../../domain/integrity/statements/find.ts';
import type { App } from '../../../platform/http/app.ts';
import { errorAnswer, jsonAnswer } from '../../answers.ts';
import { nextCursor, nextJson, pageRequest, paging } from '../../list-pages.ts';
import { operation } from '../operation.ts';
import { trustInStored, trustJson, trustSchema } from './trust.ts';

const findings = z
  .object({
    cid: z.string().describe('The requested identifier, without urn:cid: or urn:uuid:'),
    blob: z
      .object({ size: z.int(), codec: z.string().describe('The codec in the requested CID') })
      .nullable(),
    statements: z.array(
      z.object({
        id: z.string(),
        type: z.string(),
        role: z
          .string()
          .describe('The field that holds the identifier; self for the statement that it names'),
        graph_ids: z.array(z.uuid()),
        trust: trustSchema,
        unverified,
      }),
    ),
    variants: z
      .array(cidText)
      .optional()
      .describe('If the identifier names a statement: the jcs_cids of all its JSON forms'),
    credentials: z
      .array(z.string())
      .describe('Ids of the credentials among these statements; the statement id if a credential has no id'),
    graphs: z.array(z.uuid()).describe('Graphs that hold these statements'),
    next_cursor: nextCursor,
  })
  .openapi('Findings');

export interface FindRoutes extends FindPorts {
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
    params: z.object({ cid: identifierParameter }),
    query: paging.extend({ graph_id: graphParameter }),
    answers: {
      200: jsonAnswer('What is known and visible to the caller', findings),
      404: errorAnswer('Nothing is known about it, or the graph does not exist'),
    },
    handle: async ({ answer, principal, params, query }) => {
      const scope = await scopeFor(ports.graphs, principal, query.graph_id ?? null);
      const found = await findIdentifier(ports, params.cid, pageRequest(query), scope);
      const trust = await trustInStored(
        ports.trust,
        found.statements.map(({ statement }) => statement),
      );
      return answer(200, { cid: bareIdentifier(params.cid), ...findingsJson(found, trust) });
    },
  });
}

function findingsJson({ blob, statements, variants, next }: Findings, trust: ReadonlyMap<string, Trust>) {
  const all = statements.map(({ statement }) => statement);
  return {
    blob,
    statements: statements.map(({ statement, role }) => ({
      id: cidUrn(statement.rdfcCid),
      type: statement.kind,
      role,
      graph_ids: statement.graphIds,
      trust: trustJson(trust.get(cidUrn(statement.rdfcCid))),
      ...(!statement.isTrusted && { unverified: true as const }),
    })),
    ...(variants.length > 0 && { variants: variants.map(({ text }) => text) }),
    credentials: unique(all.map(credentialId)),
    graphs: unique(all.flatMap(({ graphIds }) => graphIds)),
    ...nextJson({ next }),
  };
}

function unique(texts: readonly (string | undefined)[]): string[] {
  return [...new Set(texts)].filter((text) => text !== undefined);
}
