import type { RunDetailsAnswer } from '../../../contract/integrity/runs.ts';
import {
  type ComparedRow,
  type ComparedSection,
  compareRuns,
  isDifferent,
  runTime,
  runTitle,
} from '../../../contract/words/runs.ts';
import { counted } from '../../../contract/words/text.ts';
import { trustBadge } from '../badge.ts';
import { element, part } from '../element.ts';
import { loading } from '../failed.ts';
import { foreignText, statementAddress } from '../statements/shown-text.ts';
import { timeElement } from '../times.ts';
import { resultBadge } from './run-facts.ts';
import { askRun, comparisonAddress } from './runs-api.ts';

const { a: first = '', b: second = '' } = part('page').dataset;
const place = part('comparison');
const longestValue = 500;

async function load(): Promise<void> {
  const [a, b] = await Promise.all([askRun(first), askRun(second)]);
  const sections = compareRuns(a, b);
  const title = a.name === b.name ? `Two runs of ${runTitle(a)}` : `${runTitle(a)} and ${runTitle(b)}`;
  part('heading').replaceChildren(foreignText(title));
  document.title = `${title} · Cairn`;
  const rows = sections.flatMap((section) => section.rows);
  const different = rows.filter(({ differs }) => differs).length;
  const summary =
    different === 0 ? 'Nothing differs.' : `${counted(different, 'fact differs', 'facts differ')}.`;
  const equal = sections.filter(({ rows: all }) => all.some(({ differs }) => !differs));
  place.replaceChildren(
    element('div', { class: 'compared' }, card('A', a), card('B', b)),
    element(
      'p',
      { class: 'row' },
      summary,
      element('a', { href: comparisonAddress(second, first) }, 'Swap A and B'),
    ),
    ...sections.filter(isDifferent).map((section) => sectionTable(section, true)),
    ...(equal.length === 0
      ? []
      : [
          element(
            'details',
            { open: different === 0 },
            element('summary', {}, `${rows.length - different} equal`),
            ...equal.map((section) => sectionTable(section, false)),
          ),
        ]),
  );
}

function card(letter: string, run: RunDetailsAnswer): HTMLElement {
  const time = runTime(run);
  return element(
    'div',
    { class: 'card' },
    element(
      'p',
      {},
      element('b', {}, `${letter} `),
      element('a', { href: statementAddress(run.id) }, foreignText(runTitle(run))),
    ),
    element('p', { class: 'quiet' }, time === null ? 'without a time' : timeElement(time, 'medium')),
    element('p', { class: 'row' }, resultBadge(run), trustBadge(run.trust)),
  );
}

function sectionTable({ title, rows }: ComparedSection, differs: boolean): HTMLElement {
  const shown = rows.filter((row) => row.differs === differs);
  const head = element('tr', {}, ...[title, 'A', 'B'].map((text) => element('th', { scope: 'col' }, text)));
  return element(
    'table',
    { class: 'records comparison' },
    element('caption', { class: 'unseen' }, `${title} that ${differs ? 'differ' : 'are equal'}`),
    element('thead', {}, head),
    element('tbody', {}, ...shown.map(rowOf)),
  );
}

function rowOf({ name, a, b, change }: ComparedRow): HTMLElement {
  const value = (text: string | undefined) =>
    text === undefined ? element('span', { class: 'quiet' }, 'none') : factText(name, text);
  const grown = change !== undefined && element('span', { class: 'quiet change' }, ` ${change}`);
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, foreignText(name)),
    element('td', {}, value(a)),
    element('td', {}, value(b), grown),
  );
}

function factText(name: string, text: string): Node {
  return name === 'started' ? timeElement(text, 'medium') : foreignText(text, longestValue);
}

void loading(load, place);
