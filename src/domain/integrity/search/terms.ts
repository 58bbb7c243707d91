import type { TermGroup, TermSet } from '../../collections/term-search.ts';
import { ServiceError } from '../../errors.ts';
import { foldedName, nameLimit } from '../names/name.ts';

/** How well a text fits a search, the best first. */
export const ranks = ['exact', 'file', 'start', 'word', 'anywhere'] as const;
export type Rank = (typeof ranks)[number];

/** A search for a part of a name. */
export interface Words {
  /** All words, folded, with one space between them. */
  readonly text: string;
  /** Never empty. The first one decides the rank, except that the last one may be the name of a file. */
  readonly words: readonly string[];
}

const mostWords = 32;
/** Characters of a gram. Shorter words are found at the start of a word only. */
const gramLength = 3;
/** The grams of all words that are looked at. Stores ask for the rarest of them. */
const gramsAsked = 24;

/** Between words, beside whitespace: people quote what they look for, and write patterns of files. */
const separators = /[\s*"“”„«»]+/;
/** What joins words in names, in which people err. */
const joiners = /[_,;+-]+/;

/** The words of a search; undefined if it has none. @throws ServiceError `invalid_request` for too many. */
export function wordsIn(search: string): Words | undefined {
  const words = search
    .split(separators)
    .map(foldedText)
    .filter((word) => word !== '');
  if (words.length > mostWords)
    throw new ServiceError(
      'invalid_request',
      `A search has at most ${mostWords} words, and this one has ${words.length}. Leave some out.`,
    );
  return words.length === 0 ? undefined : wordsOf(words);
}

/** The same words with any separators in them; undefined if they have none. */
export function looserWords({ words }: Words): Words | undefined {
  const parts = words.flatMap((word) => word.split(joiners)).filter((word) => word !== '');
  const isOther = parts.length > 0 && parts.length <= mostWords && parts.join(' ') !== words.join(' ');
  return isOther ? wordsOf(parts) : undefined;
}

export function wordsOf(words: readonly string[]): Words {
  return { text: words.join(' '), words };
}

/** A name in the form in which it is compared: as `foldedName`, and without accents. Longer ones are cut like names. */
export function foldedText(text: string): string {
  return withoutAccents(foldedName(withoutMarks(text.slice(0, 10 * nameLimit))));
}

const accents = /[\u0300-\u036f]/g;

/** Accents of Latin, Greek and Cyrillic letters. The marks of other scripts distinguish words. */
function withoutAccents(text: string): string {
  return /^\p{ASCII}*$/u.test(text) ? text : text.normalize('NFD').replaceAll(accents, '').normalize('NFC');
}

/** Without the marks of direction that copied texts have, and shown names have not. */
export function withoutMarks(text: string): string {
  return text.replaceAll(/\p{Bidi_Control}/gu, '');
}

/** How a folded text fits; undefined if it lacks a word. */
export function rankOf(folded: string, { text, words }: Words): Rank | undefined {
  if (folded === text) return 'exact';
  const isIn = (word: string) =>
    isShort(word) ? folded.startsWith(word) || startsWord(folded, word) : folded.includes(word);
  if (!words.every(isIn)) return undefined;
  if (isFileNamed(folded, words.at(-1) ?? '')) return 'file';
  const [first = ''] = words;
  if (folded.startsWith(first)) return 'start';
  return startsWord(folded, first) ? 'word' : 'anywhere';
}

/** Whether a path leads to a file with this name, which may lack its extension. See `fileSets`. */
function isFileNamed(path: string, name: string): boolean {
  if (name.includes('.')) return name !== '.' && path.endsWith(`/${name}`);
  return path.startsWith(`${name}.`) || path.includes(`/${name}.`);
}

function isShort(word: string): boolean {
  return [...word].length < gramLength;
}

const insideWord = /[\p{L}\p{N}\p{M}]/u;

function isInsideWord(point: number): boolean {
  // Digits and lower-case letters of ASCII are most of a name, and capitals are folded.
  if (point < 0x80) return (point >= 0x30 && point <= 0x39) || (point >= 0x61 && point <= 0x7a);
  return insideWord.test(String.fromCodePoint(point));
}

/** Whether a text has a word after its first one that starts so. */
function startsWord(folded: string, start: string): boolean {
  for (let at = folded.indexOf(start, 1); at > 0; at = folded.indexOf(start, at + 1)) {
    const before = folded.codePointAt(at - (isLowSurrogate(folded.charCodeAt(at - 1)) ? 2 : 1));
    if (before !== undefined && !isInsideWord(before)) return true;
  }
  return false;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Kinds of terms. */
const kinds = { whole: 1, start: 2, wordStart: 3, gram: 4 } as const;

/** A part of the index, in which terms are looked for. @param project null: for readers of everything. */
export function partOf(project: string | null, group: string): string {
  return `${group} ${project ?? ''}`;
}

/** What the terms of an entry follow from. */
interface Entry {
  readonly project: string | null;
  readonly group: string;
  readonly folded: string;
}

export function entryTerms({ project, group, folded }: Entry): string[] {
  const term = termsIn(partOf(project, group));
  const points = pointsOf(folded);
  // Numbers are quicker to compare than texts.
  const terms = new Set([term('whole', points)]);
  for (let at = 0; at < points.length; at += 1) {
    const isStart = at === 0;
    const most = Math.min(gramLength, points.length - at);
    if (isStart || !isInsideWord(points[at - 1] ?? 0))
      for (let length = 1; length <= most; length += 1)
        terms.add(term(isStart ? 'start' : 'wordStart', points, at, at + length));
    if (most === gramLength) terms.add(term('gram', points, at, at + gramLength));
  }
  return Array.from(terms, termText);
}

function pointsOf(text: string): number[] {
  const points: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const point = text.codePointAt(at) ?? 0;
    points.push(point);
    if (point > 0xffff) at += 1;
  }
  return points;
}

/**
 * The terms to look for, by word and by sets of which one term each must be there. More texts have these than fit.
 * @param parts of the index.
 * @param rank undefined: of any rank.
 */
export function setsFor(
  parts: readonly string[],
  { text, words }: Words,
  rank: Rank | undefined,
): TermGroup[] {
  const termIns = parts.map(termsIn);
  const oneOf: OneOf = (...terms) =>
    termIns.flatMap((term) => terms.map(([kind, of]) => termText(term(kind, pointsOf(of)))));
  if (rank === 'exact') return [[oneOf(['whole', text])]];
  const [first = ''] = words;
  const head = [...first].slice(0, gramLength).join('');
  const ranked = {
    file: fileSets(words.at(-1) ?? '', oneOf),
    start: [oneOf(['start', head])],
    word: [oneOf(['wordStart', head])],
    anywhere: [],
  };
  const sets = rank === undefined ? [] : ranked[rank];
  const most = Math.max(2, Math.floor(gramsAsked / words.length));
  return [...sets.map((set) => [set]), ...words.map((word) => wordSets(word, most, oneOf))];
}

type Kind = keyof typeof kinds;
type OneOf = (...terms: readonly (readonly [kind: Kind, of: string])[]) => string[];

/** Of paths to a file with this name. */
function fileSets(name: string, oneOf: OneOf): TermSet[] {
  const slashed = [...`/${name}.`].slice(0, gramLength).join('');
  if (name.includes('.')) return [oneOf(['gram', slashed])];
  const points = [...`${name}.`];
  const [start, end] = [points.slice(0, gramLength).join(''), points.slice(-gramLength).join('')];
  return [oneOf(['gram', slashed], ['start', start]), ...(isShort(end) ? [] : [oneOf(['gram', end])])];
}

function wordSets(word: string, most: number, oneOf: OneOf): TermGroup {
  if (isShort(word)) return [oneOf(['start', word], ['wordStart', word])];
  const characters = [...word];
  const last = characters.length - gramLength;
  const count = Math.min(most, last + 1);
  const places = Array.from({ length: count }, (_, at) =>
    count === 1 ? 0 : Math.round((at * last) / (count - 1)),
  );
  return places.map((at) => oneOf(['gram', characters.slice(at, at + gramLength).join('')]));
}

const alphabet = [...'abcdefghijklmnopqrstuvwxyz234567'];
const pairs = alphabet.flatMap((high) => alphabet.map((low) => high + low));

/** The two characters of the last ten bits, from a table, because `toString` takes four times as long. */
function pair(bits: number): string {
  return pairs[bits & 1_023] ?? '';
}

/** A term is a number of 40 bits, of which the text has the low ones first. */
const lowBits = 30;

function termText(term: number): string {
  const low = term % 2 ** lowBits;
  return pair(low) + pair(low >>> 10) + pair(low >>> 20) + pair(term / 2 ** lowBits);
}

const seeds = [0x9e37_79b9, 0x85eb_ca6b] as const;

/**
 * Makes terms of code points from one place to another. They are hashes of one alphabet, so whoever finds records by
 * them compares the texts.
 */
function termsIn(part: string) {
  const [high, low] = mixed(...seeds, 0, pointsOf(part));
  return (kind: Kind, points: readonly number[], from = 0, to = points.length): number => {
    const [one, other] = mixed(high, low, kinds[kind], points, from, to);
    return (other & 1_023) * 2 ** lowBits + (one & (2 ** lowBits - 1));
  };
}

/** As in cyrb53. */
function mixed(
  high: number,
  low: number,
  first: number,
  points: readonly number[],
  from = 0,
  to = points.length,
): readonly [number, number] {
  let one = Math.imul(high ^ first, 2_654_435_761);
  let other = Math.imul(low ^ first, 1_597_334_677);
  for (let at = from; at < to; at += 1) {
    const point = points[at] ?? 0;
    one = Math.imul(one ^ point, 2_654_435_761);
    other = Math.imul(other ^ point, 1_597_334_677);
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(other ^ (other >>> 13), 3_266_489_909);
  other = Math.imul(other ^ (other >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909);
  return [one, other];
}
