import { html } from 'hono/html';
import { bareId, counted, shortId } from '../../contract/words/text.ts';
import { cidIn, codecs } from '../../domain/integrity/identifiers/cid.ts';
import { kindNamed } from '../../domain/integrity/kinds/registry.ts';
import type { Report } from '../../domain/integrity/report/report.ts';
import type { Html } from '../header.ts';

/** Characters that are invisible, or change the direction or the place of others. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const longestText = 120;

/** Foreign text on one line: invisible characters are replaced, and the rest is cut. */
export function plain(text: string, longest = longestText): string {
  const visible = text.replaceAll(invisible, '\u{fffd}');
  return visible.length > longest ? `${visible.slice(0, longest)}…` : visible;
}

/** Foreign text in a sentence. Its direction does not change what is around it, and long paths are broken after a slash. */
export function foreign(text: string, longest = longestText): Html {
  const [first = '', ...others] = plain(text, longest).split(/(?<=\/)(?=[^/])/);
  return html`<bdi>${first}${others.map((part) => html`<wbr>${part}`)}</bdi>`;
}

/** What an identifier is called, for headings and drawings. */
export function titleOf({ names, statements }: Report, id: string): string {
  const name = names.get(id);
  if (name !== undefined) return plain(name);
  const statement = statements.find((one) => one.id === id);
  if (!statement) return documentTitle(statements, names, id) ?? plain(shortId(id));
  const program = statement.references.find(({ role }) => role === 'computation')?.identifier ?? '';
  return plain(names.get(program) ?? kindWord(statement.kind));
}

/** The name of something, with its short identifier. */
export function label({ names }: Report, id: string): Html {
  const name = names.get(id);
  return name === undefined ? shortCode(id) : html`${foreign(name)} ${shortCode(id)}`;
}

/** Somebody by name, with the whole DID. */
export function actor({ names }: Report, did: string): Html {
  const name = names.get(did);
  return html`${name === undefined ? '' : html`${foreign(name)} `}<code>${foreign(did, 200)}</code>`;
}

/** The name alone, because the appendix has the identifiers. Names of several things get the short identifier, too. */
export function nameOrId(report: Report, id: string): Html {
  const name = report.names.get(id);
  if (name === undefined) return foreign(titleOf(report, id));
  return sharedNames(report).has(name) ? label(report, id) : foreign(name);
}

const shared = new WeakMap<Report, ReadonlySet<string>>();

function sharedNames(report: Report): ReadonlySet<string> {
  return shared.getOrInsertComputed(report, ({ names }) => {
    const all = Map.groupBy(names, ([, name]) => name);
    // A small file is several nodes, one in each graph.
    const isShared = ([, named]: readonly [string, readonly (readonly [string, string])[]]) =>
      new Set(named.map(([id]) => bareId(id))).size > 1;
    return new Set([...all].filter(isShared).map(([name]) => name));
  });
}

function shortCode(id: string): Html {
  return html`<code class="id">${plain(shortId(id))}</code>`;
}

/** Names with commas, at most `most` of them. */
export function namesOf(report: Report, ids: readonly string[], most = 8): Html {
  const shown = ids.slice(0, most).map((id, at) => html`${at > 0 ? ', ' : ''}${nameOrId(report, id)}`);
  return ids.length > most ? html`${shown} and ${ids.length - most} more` : html`${shown}`;
}

/** Documents without a name are called after what they describe. */
function documentTitle(statements: Report['statements'], names: Report['names'], id: string) {
  for (const { references } of statements) {
    const role = references.find(({ identifier }) => identifier === id)?.role;
    const word = role === 'metadata' ? 'Metadata' : role === 'document' ? 'Document' : undefined;
    const subject = references.find((one) => one.role === 'subject')?.identifier;
    if (word && subject !== undefined)
      return `${word} about ${plain(names.get(subject) ?? shortId(subject))}`;
  }
  return undefined;
}

export function kindWord(kind: string): string {
  return kindNamed(kind)?.label ?? plain(kind, 60);
}

/** What kind of thing an identifier names. */
export function sortOf({ statements }: Report, id: string): string {
  if (id.startsWith('did:')) return 'actor';
  const cid = cidIn(id);
  if (!cid) return 'entity without content';
  if (cid.codec === codecs.hashSequence) return 'folder of files';
  if (cid.codec === codecs.jcs) return 'JSON document';
  if (cid.codec !== codecs.rdfc) return 'file';
  const statement = statements.find((one) => one.id === id);
  return statement ? `${kindWord(statement.kind)} statement` : 'statement';
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** A moment in UTC, such as 31 Jan 2026, 12:00 UTC. */
export function when(moment: number): Html {
  const iso = new Date(moment).toISOString();
  return html`<time datetime="${iso}">${plainTime(iso)}</time>`;
}

/** The same as text. */
export function plainTime(iso: string): string {
  const date = new Date(iso);
  const day = `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
  return `${day}, ${date.toISOString().slice(11, 16)} UTC`;
}

const minuteMs = 60_000;

/** The time of statements, or from the first to the last, as far as minutes differ. */
export function period(statements: readonly { readonly time: number | null }[]): Html {
  const times = statements.flatMap(({ time }) => time ?? []);
  if (times.length === 0) return html`no time`;
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const isOne = Math.floor(first / minuteMs) === Math.floor(last / minuteMs);
  return isOne ? when(first) : html`${when(first)} to ${when(last)}`;
}

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

export function byteSize(bytes: number): string {
  const power = bytes < 1_024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  if (power === 0) return counted(bytes, 'byte');
  return `${(bytes / 1_024 ** power).toFixed(1)} ${units[power]}`;
}
