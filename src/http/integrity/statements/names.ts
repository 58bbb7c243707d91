import { namesAnswer, namesBody } from '../../../contract/integrity/findings.ts';
import { known } from '../../../domain/access/access.ts';
import { scopeFor } from '../../../domain/integrity/access/statement-scope.ts';
import type { NameIndex } from '../../../domain/integrity/names/name-index.ts';
import type { GraphStore } from '../../../domain/integrity/ports.ts';
import type { App } from '../../../platform/http/app.ts';
import { errorAnswer, jsonAnswer } from '../../answers.ts';
import { parsedJsonBody } from '../../parsed-request.ts';
import { operation } from '../operation.ts';
import type { RequestLimits } from '../request-limits.ts';

/** More than so many identifiers need. */
const bodyLimit = 1 << 20;

export interface NameRoutes {
  readonly names: Pick<NameIndex, 'of'>;
  readonly graphs: Pick<GraphStore, 'get'>;
  readonly limits: RequestLimits;
}

export function nameRoutes(app: App, { names, graphs, limits }: NameRoutes): void {
  operation(app, 'POST /names/v1', {
    access: known,
    audit: 'none',
    tag: 'Search',
    summary: 'Read the names of things',
    description:
      'The name of a thing is what its metadata says: the first text among name, title, label, path, filename and step, in one line of at most 200 characters. The newest MetadataRegistration that the caller may see counts, by its timestamp. Identifiers come back as statements write them, and those without a name are left out. Nothing is stored.',
    body: { 'application/json': { schema: namesBody } },
    answers: {
      200: jsonAnswer('The name of each identifier that has one', namesAnswer),
      404: errorAnswer('The graph does not exist'),
    },
    handle: async ({ context, answer, principal }) => {
      const { ids, graph_id } = await parsedJsonBody(context, namesBody, limits, bodyLimit);
      const scope = await scopeFor(graphs, principal, graph_id ?? null);
      return answer(200, { names: Object.fromEntries(await names.of(ids, scope)) });
    },
  });
}
