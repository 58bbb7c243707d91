import type { RunDetailsAnswer } from '../../../contract/integrity/runs.ts';
import { durationText, flatValues, gitText, resultText, shellLine } from '../../../contract/words/runs.ts';
import { harmless } from '../../../contract/words/text.ts';
import { badge, trustBadge } from '../badge.ts';
import { copy } from '../copying.ts';
import { element, terms } from '../element.ts';
import { foreignText, statementAddress, thing, thingWithId } from '../statements/shown-text.ts';
import { timeElement } from '../times.ts';
import { comparisonAddress, namesIn } from './runs-api.ts';

const longestCommand = 20_000;
const longestValue = 1_000;
const valuesAtFirst = 40;

/** How a run ended. Without colours, the words tell it. */
export function resultBadge(run: Pick<RunDetailsAnswer, 'result' | 'exit_code' | 'signal'>): HTMLElement {
  if (run.result === 'unknown') return element('span', { class: 'quiet' }, resultText(run));
  return badge(run.result === 'failed' ? 'bad' : 'good', resultText(run));
}

/**
 * What was done: the end, the command, parameters, metrics, environment and git. Empty without a document about the run.
 * @param heading of its parts.
 */
export function runFacts(run: RunDetailsAnswer, heading: 'h2' | 'h3'): HTMLElement[] {
  const { command, parameters, metrics, environment, metadata } = run;
  const part = (title: Node | string, ...content: Node[]) =>
    element('section', { class: 'run' }, element(heading, {}, title), ...content);
  if (!run.description) return [];
  return [
    part('What was done', endOf(run)),
    ...(command ? [part('Command', commandBlock(command))] : []),
    ...(metrics ? [part('Metrics', values(metrics))] : []),
    ...parameters.map(({ path, cid, values: all }) =>
      part(element('span', {}, 'Parameters in ', thing(cid, new Map([[cid, path]]))), values(all)),
    ),
    ...(environment ? [part('Environment', values(environment))] : []),
    ...(metadata ? [part('What else was said', values(metadata))] : []),
  ];
}

function endOf(run: RunDetailsAnswer): HTMLElement {
  const { started, duration, by, git, error, description, before, id } = run;
  const names = namesIn(run);
  const rows: (readonly [string, Node | string | null])[] = [
    ['Result', resultBadge(run)],
    ['Error', error === null ? null : foreignText(error, longestValue)],
    ['Started', started === null ? null : timeElement(started)],
    ['Duration', duration === null ? null : durationText(duration)],
    ['By', element('span', {}, ...by.flatMap((one, at) => [at > 0 ? ', ' : '', thingWithId(one.id, names)]))],
    ['git', git ? gitOf(git) : null],
    ['Said by', description ? saidBy(description) : null],
    ['Compare', before === null ? null : comparisonLink(before, id)],
  ];
  const shown = rows.filter((row): row is readonly [string, Node | string] => row[1] !== null);
  return terms(shown, { class: 'run-end' });
}

function gitOf(git: NonNullable<RunDetailsAnswer['git']>): HTMLElement {
  const commit = git.commit === undefined ? [] : [element('code', {}, harmless(git.commit, 80)), ' '];
  return element('span', {}, ...commit, foreignText(gitText(git), longestValue));
}

function saidBy({ statement, trust }: NonNullable<RunDetailsAnswer['description']>): HTMLElement {
  const link = element('a', { href: statementAddress(statement) }, 'a statement of the same registrant');
  return element('span', { class: 'row' }, link, trustBadge(trust));
}

function comparisonLink(before: string, id: string): HTMLElement {
  return element('a', { href: comparisonAddress(before, id) }, 'Compare with the run before');
}

/** A command as a shell takes it, with a button that copies it. */
function commandBlock(command: readonly string[]): HTMLElement {
  const code = element('code', {}, harmless(shellLine(command), longestCommand));
  const button = element(
    'button',
    { type: 'button', class: 'copy', 'aria-label': 'Copy the command', click: () => copy(code, button) },
    'Copy',
  );
  return element('div', { class: 'command' }, element('pre', { tabindex: '0' }, code), button);
}

/** Values with their names as a table. */
function values(all: Readonly<Record<string, unknown>>): HTMLElement {
  const rows = [...flatValues(all)].map(([name, value]) => {
    const isUnset = all[name] === null;
    const shown = isUnset ? element('span', { class: 'quiet' }, 'not set') : foreignText(value, longestValue);
    return element('tr', {}, element('th', { scope: 'row' }, foreignText(name)), element('td', {}, shown));
  });
  if (rows.length === 0) return element('p', { class: 'quiet' }, 'none');
  const table = (some: readonly HTMLElement[]) =>
    element('table', { class: 'values-table' }, element('tbody', {}, ...some));
  const rest = rows.slice(valuesAtFirst);
  if (rest.length === 0) return table(rows);
  const more = element('details', {}, element('summary', {}, `${rest.length} more`), table(rest));
  return element('div', {}, table(rows.slice(0, valuesAtFirst)), more);
}
