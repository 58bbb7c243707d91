import { lineage, lineageParams, lineageQuery } from '../../../contract/integrity/lineage.ts';
import { plainText } from '../../../contract/values.ts';
import { callerKey, known } from '../../../domain/access/access.ts';
import { scopeFor } from '../../../domain/integrity/access/statement-scope.ts';
import { directions } from '../../../domain/integrity/lineage/edges.ts';
import {
  type LineagePorts,
  namedLineage,
  traceLineage,
  trustInLineage,
} from '../../../domain/integrity/lineage/lineage.ts';
import type { NameIndex } from '../../../domain/integrity/names/name-index.ts';
import type { GraphStore, WorkLimit } from '../../../domain/integrity/ports.ts';
import type { RetractedReader, TrustReader } from '../../../domain/integrity/signatures/trust.ts';
import type { App } from '../../../platform/http/app.ts';
import { accepts } from '../../accepts.ts';
import { wholeAnswer } from '../../answering.ts';
import { errorAnswer, jsonAnswer, notAcceptable } from '../../answers.ts';
import { slicedText } from '../../sliced-text.ts';
import { operation } from '../operation.ts';
import { lineageDot, lineageMermaid } from './lineage-drawings.ts';
import { lineageJson } from './lineage-json.ts';

const json = 'application/json';
const dot = 'text/vnd.graphviz';
const mermaid = 'text/vnd.mermaid';

const texts = { [json]: lineageJson, [dot]: lineageDot, [mermaid]: lineageMermaid };

export interface LineageRoutes extends LineagePorts {
  /** Limits how many lineages are in memory, from the first read until the text is made. */
  readonly lineages: WorkLimit;
  readonly names: Pick<NameIndex, 'of'>;
  readonly graphs: Pick<GraphStore, 'get'>;
  readonly trust: TrustReader;
  readonly retracted: RetractedReader;
}

export function lineageRoutes(app: App, ports: LineageRoutes): void {
  operation(app, 'GET /lineage/v1/{id}', {
    access: known,
    tag: 'Search',
    summary: 'Trace what an artefact was made from and what was made from it',
    description:
      'Follows computations, breadth first. Answers JSON, DOT (Accept: text/vnd.graphviz) or a Mermaid flowchart (Accept: text/vnd.mermaid). Actors, metadata, storage, governance, associations and credentials are shown at each node but not followed. They take at most half of the nodes.',
    params: lineageParams,
    query: lineageQuery,
    answers: {
      200: {
        description: 'The lineage that is visible to the caller',
        content: {
          ...jsonAnswer('', lineage).content,
          [dot]: { schema: plainText },
          [mermaid]: { schema: plainText },
        },
      },
      404: errorAnswer('Nothing is known about it, or the graph does not exist'),
      406: notAcceptable,
    },
    handle: async ({ context, principal, params, query }) => {
      const format = accepts(context, [json, dot, mermaid]);
      const scope = await scopeFor(ports.graphs, principal, query.graph_id ?? null);
      const { direction, depth, limit, kinds = null } = query;
      const question = { start: params.id, flows: directions[direction], depth, limit, kinds };
      const trace = async () => {
        const leaveOut = query.include_retracted ? undefined : ports.retracted;
        const traced = await traceLineage(ports, question, scope, leaveOut);
        const lineage = await namedLineage(ports.names, traced, scope);
        return await slicedText(texts[format](lineage, await trustInLineage(ports.trust, lineage)));
      };
      const bytes = await ports.lineages.run(trace, callerKey(principal));
      return wholeAnswer(context, bytes, {
        'content-type': format === json ? json : `${format}; charset=utf-8`,
        'x-content-type-options': 'nosniff',
        vary: 'Accept',
      });
    },
  });
}
