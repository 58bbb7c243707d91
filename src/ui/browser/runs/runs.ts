import type { RunAnswer, RunsAnswer } from '../../../contract/integrity/runs.ts';
import { durationText, runTime, runTitle } from '../../../contract/words/runs.ts';
import { briefName } from '../../../contract/words/text.ts';
import { trustBadge } from '../badge.ts';
import { element, part } from '../element.ts';
import { loading } from '../failed.ts';
import '../file-drop.ts';
import { showFirstSteps } from '../first-steps.ts';
import { showGraphs } from '../statements/graph-list.ts';
import { foreignText, nameOrId, statementAddress } from '../statements/shown-text.ts';
import { pageLinks, registrant, table } from '../statements/statement-table.ts';
import { askGraph, askStatements } from '../statements/statements-api.ts';
import { localTime, when } from '../times.ts';
import { resultBadge } from './run-facts.ts';
import { askRuns, comparisonAddress, namesIn } from './runs-api.ts';

const rowsAtOnce = 25;
/** Pages that hold nothing for this reader are passed over. */
const mostEmpty = 5;

const query = new URLSearchParams(location.search);
const asked = (name: string) => (query.get(name) ?? '').trim();
const [graph, cursor] = [asked('graph'), asked('cursor')];
const place = part('runs');

async function load(): Promise<void> {
  const [page] = await Promise.all([askSome(), graph === '' ? showGraphs() : showGraph()]);
  const { runs, next_cursor: next } = page;
  if (runs.length > 0) return place.replaceChildren(choosing(runs), pageLinks(next));
  if (next !== undefined)
    return place.replaceChildren(element('p', {}, 'No run so far. Older ones may follow.'), pageLinks(next));
  if (graph === '' && cursor === '' && (await isEmpty())) return showFirstSteps();
  place.replaceChildren(withoutRuns());
}

async function askSome(): Promise<RunsAnswer> {
  let found: RunsAnswer = { runs: [], next_cursor: cursor };
  for (let count = 0; count < mostEmpty && found.runs.length === 0; count += 1) {
    if (count > 0 && found.next_cursor === undefined) break;
    const from = found.next_cursor ?? '';
    found = await askRuns({ graph_id: graph, cursor: from, limit: String(rowsAtOnce) });
  }
  return found;
}

async function showGraph(): Promise<void> {
  const { graph: shown } = await askGraph(graph);
  const all = element('a', { href: '/ui' }, 'Show all runs');
  part('runs-heading').replaceChildren('Runs in ', foreignText(shown.name));
  part('runs-about').replaceChildren(all);
}

/** The runs as a form, in which two can be chosen to be compared. */
function choosing(runs: readonly RunAnswer[]): HTMLElement {
  const rows = runs.map((run) => cells(run));
  const heads = ['What', 'When', 'Took', 'By', 'Result', 'Trust'];
  const button = element('button', { disabled: true }, 'Compare');
  const hint = element('span', { class: 'quiet', id: 'compare-hint' }, 'Choose two runs to compare them.');
  const chosen = () => [...form.querySelectorAll<HTMLInputElement>('input[name=run]:checked')];
  const form: HTMLFormElement = element(
    'form',
    {
      class: 'choosing',
      change: () => {
        button.disabled = chosen().length !== 2;
        hint.textContent = hints[Math.min(chosen().length, 3)] ?? '';
      },
      submit: (event) => {
        event.preventDefault();
        // The list begins with the newest.
        const [later, earlier] = chosen().map(({ value }) => value);
        if (later !== undefined && earlier !== undefined) location.assign(comparisonAddress(earlier, later));
      },
    },
    table('Runs', heads, rows),
    element('p', { class: 'row compare-bar' }, button, hint),
  );
  return form;
}

const hints = [
  'Choose two runs to compare them.',
  'Choose one more run.',
  'Compares parameters, metrics and inputs.',
  'Choose two runs, and no more.',
];

function cells(run: RunAnswer): (Node | string)[] {
  const { id, program, outputs, output_count: outputCount } = run;
  // A command without inputs has a document about itself as its input.
  const inputs = run.inputs.filter((one) => one.name !== null || one.id !== program?.id);
  const inputCount = run.input_count - run.inputs.length + inputs.length;
  const names = namesIn(run);
  const time = runTime(run);
  const label = `Choose ${runTitle(run)}${time === null ? '' : `, ${localTime(time)}`} to compare it`;
  const flow = element(
    'span',
    { class: 'quiet flow' },
    ...some(inputs, inputCount).flatMap((one, at) => [at > 0 ? ', ' : '', one]),
    ' → ',
    ...some(outputs, outputCount).flatMap((one, at) => [at > 0 ? ', ' : '', one]),
  );
  function some(things: RunAnswer['inputs'], count: number): (Node | string)[] {
    const shown = things.slice(0, count > 2 ? 1 : 2).map((one) => nameOrId(one.id, names));
    return count > shown.length ? [...shown, `${count - shown.length} more`] : shown;
  }
  return [
    element(
      'span',
      { class: 'run-name' },
      element('input', { type: 'checkbox', name: 'run', value: id, 'aria-label': label }),
      element(
        'span',
        {},
        element('a', { href: statementAddress(id) }, foreignText(briefName(runTitle(run)))),
        flow,
      ),
    ),
    when(time ?? undefined),
    run.duration === null ? '–' : durationText(run.duration),
    element('span', {}, ...run.by.flatMap((one, at) => [at > 0 ? ', ' : '', registrant(one.id, names)])),
    resultBadge(run),
    trustBadge(run.trust),
  ];
}

async function isEmpty(): Promise<boolean> {
  return (
    part('graphs').childElementCount === 0 && (await askStatements({ limit: '1' })).statements.length === 0
  );
}

function withoutRuns(): HTMLElement {
  return element(
    'div',
    { class: 'card' },
    element('p', {}, 'No run that you may see is recorded here. Put this before a command to record it:'),
    element(
      'pre',
      { tabindex: '0' },
      element('code', {}, 'cairn record --name train --input data.csv --output model.bin -- python train.py'),
    ),
    element('p', {}, element('a', { href: '/ui/statements' }, 'Show what else is stored')),
  );
}

if (!part('found').hidden) void loading(load, place);
