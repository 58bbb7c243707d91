import type { CheckedReceipt, LogOverview } from '../../../contract/integrity/log-standing.ts';
import { counted, harmless } from '../../../contract/words/text.ts';
import { askJson, sentenceOf } from '../api.ts';
import { badge } from '../badge.ts';
import { copyable } from '../copying.ts';
import { element, part, section, terms } from '../element.ts';
import { loading } from '../failed.ts';
import { graphAddress, statementAddress } from '../statements/shown-text.ts';
import { localTime } from '../times.ts';

const place = part('log');

async function load(): Promise<void> {
  const log = await askJson<LogOverview>('/log/v1/overview');
  place.replaceChildren(
    element(
      'div',
      {},
      section('Checkpoint', ...log.warnings.map(warning), checkpoint(log)),
      section('Witnesses', witnesses(log)),
    ),
    element('div', {}, section('Newest entries', heads(log))),
  );
}

function warning(sentence: string): HTMLElement {
  return element('p', { role: 'alert' }, harmless(sentence, 500));
}

function checkpoint({ origin, keys, entries, published }: LogOverview): HTMLElement {
  const waiting = entries - (published?.entries ?? 0);
  const shown = published
    ? [
        counted(published.entries, 'entry', 'entries'),
        `, published ${localTime(published.at)}`,
        waiting > 0 ? `; ${counted(waiting, 'entry', 'entries')} wait` : '',
      ]
    : ['Nothing is published yet.'];
  return terms([
    ['Origin', origin === null ? 'This service has no key for its log.' : element('code', {}, origin)],
    ['Size', element('span', {}, ...shown)],
    ...(published && published.witnesses.length > 0
      ? [['Witnessed', list(published.witnesses.map(witnessed))] as const]
      : []),
    ...keys.map((key) => ['Verifier key', copyable(key, 'the verifier key')] as const),
  ]);
}

function witnessed({ name, at }: { readonly name: string; readonly at: string }): string {
  return `by ${harmless(name)}, ${localTime(at)} by its clock`;
}

function list(items: readonly string[]): HTMLElement {
  return element('ul', {}, ...items.map((item) => element('li', {}, item)));
}

function witnesses({ witnesses: all, published }: LogOverview): HTMLElement {
  if (all.length === 0) {
    const seen = published?.witnesses.length
      ? 'This service asks no witness now.'
      : 'Nobody else vouches for this log yet.';
    return element('p', {}, `${seen} CAIRN_LOG_WITNESSES names witnesses, which cosign every checkpoint.`);
  }
  const items = all.map(({ name, entries, at, problem, since }) =>
    element(
      'li',
      {},
      problem === null ? badge('good', 'cosigns') : badge('bad', 'does not cosign'),
      ` ${harmless(name)}`,
      at !== null && entries !== null && `: ${counted(entries, 'entry', 'entries')}, ${localTime(at)}`,
      problem !== null &&
        element(
          'span',
          { class: 'quiet' },
          ` ${problem}${since === null ? '' : `, since ${localTime(since)}`}`,
        ),
    ),
  );
  return element('ul', {}, ...items);
}

function heads({ heads: all }: LogOverview): HTMLElement {
  if (all.length === 0) return element('p', {}, 'None yet.');
  const items = all.map(({ entry, blinded_name: name, size }) =>
    element(
      'li',
      {},
      `${entry}: `,
      element('code', { title: name }, `${name.slice(0, 12)}…`),
      ` has ${counted(size, 'entry', 'entries')}`,
    ),
  );
  const about =
    'Each commits to all entries of another log. Its name is blinded, so that nobody learns what grew.';
  return element('div', {}, element('p', { class: 'quiet' }, about), element('ul', {}, ...items));
}

async function check(): Promise<void> {
  const body = part<HTMLTextAreaElement>('receipt').value.replaceAll('\r\n', '\n').replace(/\n*$/, '\n');
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  const shown = await askJson<CheckedReceipt>('/log/v1/receipt-check', {
    method: 'POST',
    body,
    headers,
  }).then(result, (error: unknown) => [
    element('p', {}, badge('bad', 'does not hold'), ` ${harmless(sentenceOf(error), 500)}`),
  ]);
  part('checked').replaceChildren(...shown);
}

function result({ statement, log, index, size, entries, witnesses: by }: CheckedReceipt): HTMLElement[] {
  const id = log.replace(/^graphs\//, '');
  const place =
    id === log
      ? [` the log “${harmless(log)}”`]
      : [' the log of ', element('a', { href: graphAddress(id) }, 'its graph')];
  const seen =
    by.length === 0 ? ' No witness has cosigned it.' : ` Witnessed ${by.map(witnessed).join('; ')}.`;
  return [
    element(
      'p',
      {},
      badge('good', 'holds'),
      ' ',
      element('a', { href: statementAddress(statement) }, 'The statement'),
      ` is entry ${index} of ${size} in`,
      ...place,
      `, in a checkpoint of ${counted(entries, 'entry', 'entries')}.`,
      seen,
    ),
  ];
}

part('check').addEventListener('submit', (event) => {
  event.preventDefault();
  void check();
});
void loading(load, place);
