import { harmless } from '../../../contract/words/text.ts';
import { copyable } from '../copying.ts';
import { element, part, terms } from '../element.ts';
import { loading } from '../failed.ts';
import { graphLogged } from '../logged.ts';
import { showExport } from './export.ts';
import { graphList } from './graph-list.ts';
import { foreignText, graphAddress } from './shown-text.ts';
import { pageLinks, statementTable } from './statement-table.ts';
import {
  askGraph,
  askStatements,
  countOf,
  type GraphEntry,
  type GraphWithChildren,
} from './statements-api.ts';

const rows = 50;
const id = part('page').dataset.about ?? '';
const cursor = new URLSearchParams(location.search).get('cursor') ?? '';

async function load(): Promise<void> {
  const [found, list, logged] = await Promise.all([
    askGraph(id),
    askStatements({ graph_id: id, limit: String(rows), cursor }),
    graphLogged(id),
  ]);
  const { graph } = found;
  document.title = `${harmless(graph.name)} · Cairn`;
  part('heading').replaceChildren(foreignText(graph.name, 500));
  showExport(graph, found.graphs.length > 0);
  await showAbout(found, logged);
  const { statements, next_cursor: next } = list;
  part('statements').replaceChildren(
    statements.length > 0 ? await statementTable(statements) : nothing(next),
    pageLinks(next),
  );
}

function nothing(next: string | undefined): Node {
  if (next !== undefined) return element('p', {}, 'None on this page. Older statements follow.');
  const command = `cairn record --graph ${id} --name train --input data.csv --output model.bin -- python train.py`;
  return element(
    'div',
    {},
    element('p', {}, 'It holds no statements of its own. Put this before a command to record it here:'),
    element('pre', { tabindex: '0' }, element('code', {}, command)),
  );
}

async function showAbout(
  { graph, graphs, next_cursor: next }: GraphWithChildren,
  logged: HTMLElement | undefined,
): Promise<void> {
  const { graph_id: id, project_id: project } = graph;
  const [parent, root] = await Promise.all([
    graph.parent_id === null ? undefined : askGraph(graph.parent_id).then((found) => found.graph),
    // Not every project is named after a graph that the reader may see.
    project === id
      ? undefined
      : askGraph(project).then(
          (found) => graphLink(found.graph),
          () => undefined,
        ),
  ]);
  if (parent) part('parents').replaceChildren('› ', graphLink(parent));
  const rows: readonly (readonly [string, Node | string])[] = [
    ['Holds', countOf(graph)],
    ['Part of', parent ? graphLink(parent) : 'nothing: it is a root graph'],
    ['Graph id', copyable(id, 'the graph id')],
    [
      'Project',
      project === id
        ? 'its own, with the same id'
        : element('span', {}, root, ' ', copyable(project, 'the project id')),
    ],
  ];
  const children = [element('h3', {}, 'Graphs in it'), graphList(graphs)];
  const more = element('p', {}, 'There are more: ', element('code', {}, `cairn graph show ${id}`));
  part('about').replaceChildren(
    terms([...rows, ...(logged ? [['Log', logged] as const] : [])]),
    ...(graphs.length > 0 ? children : []),
    ...(next === undefined ? [] : [more]),
  );
}

function graphLink(graph: GraphEntry): HTMLElement {
  return element('a', { href: graphAddress(graph.graph_id) }, foreignText(graph.name));
}

void loading(load, part('statements'));
