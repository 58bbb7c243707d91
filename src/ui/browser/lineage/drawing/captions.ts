import type { TrustAnswer } from '../../../../contract/integrity/trust.ts';
import { counted, pathEnd, shortId } from '../../../../contract/words/text.ts';
import { markLabel } from '../../../../contract/words/trust.ts';
import { kindWords, symbolOf } from '../../kinds.ts';
import type { Graph } from '../graph.ts';
import type { ShownNode } from '../shown.ts';
import { titleOf } from '../titles.ts';

/** The caption of a node. */
export interface Caption {
  readonly title: string;
  readonly subtitle: string;
  readonly symbol: string;
  /** The full name. */
  readonly name: string;
  /** The symbol, the mark and the number in words. */
  readonly rest: string;
  /** Of a statement with a mark. */
  readonly trust?: TrustAnswer;
  readonly hasMetadata?: boolean;
  /** Whether the title is the identifier. */
  readonly isUnnamed?: boolean;
}

/** Maximum number of characters on a node. */
const titleLength = 16;

export function captionOf({ id, more, stack }: ShownNode, graph: Graph): Caption {
  const node = graph.nodes.get(id);
  if (stack) {
    const title = `${stack.members.length} more`;
    return { title, subtitle: stack.roles.join(', '), symbol: 'stack', name: title, rest: 'stack' };
  }
  if (!node) return { title: shortId(id), subtitle: '', symbol: 'artefact', name: id, rest: '' };
  const name = titleOf(graph, id);
  const kind = node.files === undefined ? kindWords(node) : counted(node.files, 'file');
  const hasMetadata = graph.edgesAt(id).some(({ role, from }) => role === 'metadata' && from === id);
  const mark = markLabel(node.trust);
  const missing = more > 0 ? `${counted(more, 'edge')} not drawn` : undefined;
  return {
    title: name.includes('/') ? pathEnd(name, titleLength) : name,
    subtitle: node.failed ? 'failed' : name === shortId(id) ? kind : shortId(id),
    symbol: symbolOf(node),
    name,
    ...(mark !== undefined && node.trust && { trust: node.trust }),
    hasMetadata,
    isUnnamed: name === shortId(id),
    rest: [kind, node.failed ? 'failed' : undefined, mark, hasMetadata ? 'has metadata' : undefined, missing]
      .filter((part) => part !== undefined)
      .join(', '),
  };
}
