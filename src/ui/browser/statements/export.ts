import type { ManifestExportAnswer as ExportState } from '../../../contract/integrity/manifests.ts';
import { askJson, sentenceOf } from '../api.ts';
import { copyable } from '../copying.ts';
import { announce, button, element, part } from '../element.ts';
import type { GraphEntry } from './statements-api.ts';

const firstPollMs = 200;
const longestPollMs = 2_000;

/** A button that exports the graph in the background and downloads the result, and the command that does the same. */
export function showExport(graph: GraphEntry, hasChildren: boolean): void {
  const withChildren = element('input', { type: 'checkbox', checked: hasChildren });
  const status = element('div', { role: 'status', class: 'exporting' });
  const start = button('Export and download', () => void run());
  async function run() {
    start.disabled = true;
    try {
      const done = await exported(graph.graph_id, withChildren.checked, (state) =>
        status.replaceChildren(progressOf(state)),
      );
      status.replaceChildren(...result(done));
      announce('The export is finished.');
      status.querySelector('a')?.click();
    } catch (error) {
      status.replaceChildren(element('p', { role: 'alert' }, sentenceOf(error)));
    } finally {
      start.disabled = false;
    }
  }
  const command = `cairn export ${graph.graph_id}${hasChildren ? ' --descendants' : ''} -o evidence.json`;
  const purpose =
    'One file with the statements, contexts and files of this graph. Anyone can verify it offline.';
  part('export').replaceChildren(
    element('p', {}, purpose),
    ...(hasChildren ? [element('p', {}, element('label', {}, withChildren, 'with the graphs in it'))] : []),
    start,
    status,
    element('p', { class: 'quiet' }, 'The same on the command line:'),
    copyable(command, 'the command'),
  );
}

async function exported(id: string, withChildren: boolean, tell: (state: ExportState) => void) {
  const query = `graph_ids=${id}&include_context=true&include_blobs=true&include_descendants=${withChildren}`;
  let state: ExportState = await askJson(`/manifest/v1?${query}`, { headers: { prefer: 'respond-async' } });
  for (let pause = firstPollMs; ; pause = Math.min(2 * pause, longestPollMs)) {
    if (state.error) throw new Error(state.error.error);
    if (state.state === 'done') return state;
    tell(state);
    await new Promise((resolve) => setTimeout(resolve, pause));
    state = await askJson(`/manifest/v1/exports/${state.export_id}`);
  }
}

function progressOf({ state, statements, bytes }: ExportState): string {
  if (state === 'waiting') return 'Waiting for other exports…';
  return `Exporting: ${statements.toLocaleString('en')} statements, ${size(bytes)} so far…`;
}

function result({ result, statements, bytes, missing_blobs: missing }: ExportState): Node[] {
  const count = missing?.count ?? 0;
  const link = element('a', { href: result ?? '', download: '' }, 'Download it again');
  const lacks = `${count} files that statements refer to are not stored here, so the export lacks them.`;
  return [
    element('p', {}, `${statements.toLocaleString('en')} statements, ${size(bytes)}. `, link),
    ...(count > 0 ? [element('p', {}, lacks)] : []),
  ];
}

function size(bytes: number): string {
  const unit = bytes < 1e6 ? (['kilobyte', 1e3] as const) : (['megabyte', 1e6] as const);
  const style = { style: 'unit', unit: unit[0], maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat('en', style).format(bytes / unit[1]);
}
