import { harmless } from '../../../contract/words/text.ts';
import { sentenceOf } from '../api.ts';
import { breakable, element } from '../element.ts';
import { runFacts } from '../runs/run-facts.ts';
import { askRun } from '../runs/runs-api.ts';
import type { Graph, GraphNode } from './graph.ts';
import { askDocument, askMetadataOf, isDocument } from './lineage-api.ts';
import { metadataOf } from './titles.ts';

const mostRows = 40;
const mostCharacters = 500;

/** What a document says about the selected node, as a table. The document is asked for when the node is selected. */
export class Metadata {
  /** For the details of a node. */
  readonly box = element('section', { class: 'metadata', hidden: true });
  readonly #known = new Map<string, Promise<readonly Node[]>>();
  #shown: string | undefined;

  async show(graph: Graph, node: GraphNode | undefined): Promise<void> {
    if (node?.id === this.#shown) return;
    this.#shown = node?.id;
    this.box.hidden = true;
    if (!node) return;
    const { id } = node;
    const asked = this.#known.get(id) ?? read(graph, node);
    this.#known.set(id, asked);
    const content = await asked.catch((error) => {
      this.#known.delete(id);
      return [element('p', {}, `The metadata cannot be read. ${sentenceOf(error)}`)];
    });
    if (this.#shown !== id) return;
    this.box.replaceChildren(...content);
    this.box.hidden = content.length === 0;
  }
}

async function read(graph: Graph, { id, hidden, kind, type }: GraphNode): Promise<readonly Node[]> {
  const run = type === 'ComputationRegistration' ? await askRun(id).catch(() => undefined) : undefined;
  if (run?.description) return runFacts(run, 'h3');
  const registered = metadataOf(graph, id) ?? (hidden > 0 ? await askMetadataOf(id) : undefined);
  const own = kind === 'artefact' && isDocument(id) ? id : undefined;
  const tables = await Promise.all([
    table('Metadata', registered),
    ...(own === registered ? [] : [table('Content', own)]),
  ]);
  return tables.flat();
}

async function table(title: string, document: string | undefined): Promise<Node[]> {
  const members = document === undefined ? undefined : await askDocument(document);
  if (!members) return [];
  const rows = Object.entries(members).map(([name, value]) => {
    const head = element('th', { scope: 'row' }, harmless(name));
    return element('tr', {}, head, element('td', {}, ...breakable(textOf(value))));
  });
  const rest = rows.length - mostRows;
  return [
    element('h3', {}, title),
    element('table', {}, element('tbody', {}, ...rows.slice(0, mostRows))),
    ...(rest > 0 ? [element('p', { class: 'by' }, `${rest} more members are in the document.`)] : []),
  ];
}

function textOf(value: unknown): string {
  return harmless(typeof value === 'string' ? value : JSON.stringify(value), mostCharacters);
}
