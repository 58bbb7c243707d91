import { ServiceError } from '../../errors.ts';
import { foldedName, nameLimit } from '../names/name.ts';

/** How well a text fits a search, the best first. */
export const ranks = ['exact', 'start', 'word', 'anywhere'] as const;
export type Rank = (typeof ranks)[number];

/** A search for a part of a name. */
export interface Words {
  /** All words, folded, with one space between them. */
  readonly text: string;
  /** Never empty. The first one decides the rank. */
  readonly words: readonly string[];
}

const mostWords = 32;
/** Characters of a gram. Shorter words are found at the start of a word only. */
const gramLength = 3;
/** More grams of a word would hardly make the answer smaller. */
const gramsAsked = 6;

/** The words of a search; undefined if it has none. @throws ServiceError `invalid_request` for too many. */
export function wordsIn(search: string): Words | undefined {
  const words = search
    .split(/\s+/)
    .map(foldedText)
    .filter((word) => word !== '');
  if (words.length > mostWords)
    throw new ServiceError(
      'invalid_request',
      `A search has at most ${mostWords} words, and this one has ${words.length}. Leave some out.`,
    );
  return words.length === 0 ? undefined : { text: words.join(' '), words };
}

/** A name in the form in which it is compared. Longer ones are cut like names. */
export function foldedText(text: string): string {
  return foldedName(text.slice(0, 10 * nameLimit));
}

/** How a folded text fits; undefined if it lacks a word. */
export function rankOf(folded: string, { text, words }: Words): Rank | undefined {
  if (folded === text) return 'exact';
  const isIn = (word: string) =>
    isShort(word) ? folded.startsWith(word) || startsWord(folded, word) : folded.includes(word);
  if (!words.every(isIn)) return undefined;
  const [first = ''] = words;
  if (folded.startsWith(first)) return 'start';
  return startsWord(folded, first) ? 'word' : 'anywhere';
}

function isShort(word: string): boolean {
  return [...word].length < gramLength;
}

const insideWord = /[\p{L}\p{N}\p{M}]/u;

/** Whether a text has a word after its first one that starts so. */
function startsWord(folded: string, start: string): boolean {
  for (let at = folded.indexOf(start, 1); at > 0; at = folded.indexOf(start, at + 1)) {
    const before = folded.codePointAt(at - (isLowSurrogate(folded.charCodeAt(at - 1)) ? 2 : 1));
    if (before !== undefined && !insideWord.test(String.fromCodePoint(before))) return true;
  }
  return false;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Kinds of terms, each with its own first character. */
const whole = '=';
const start = '^';
const wordStart = '~';
const gram = '.';

/** The terms of a folded text in a part of the index. */
export function termsOf(part: string, folded: string): string[] {
  const hash = hashIn(part);
  const characters = [...folded];
  const terms = new Set([hash(whole + folded)]);
  for (const head of heads(folded)) terms.add(hash(start + head));
  characters.forEach((_, at) => {
    const before = characters[at - 1];
    if (before !== undefined && !insideWord.test(before))
      for (const head of heads(characters.slice(at, at + gramLength).join('')))
        terms.add(hash(wordStart + head));
    const found = characters.slice(at, at + gramLength);
    if (found.length === gramLength) terms.add(hash(gram + found.join('')));
  });
  return [...terms];
}

/** The first one, two and three characters. */
function heads(text: string): string[] {
  const characters = [...text.slice(0, 2 * gramLength)].slice(0, gramLength);
  return characters.map((_, at) => characters.slice(0, at + 1).join(''));
}

/**
 * The terms to look for, by sets of which one term each must be there. More texts have these than fit.
 * @param parts of the index.
 * @param rank undefined: of any rank.
 */
export function setsFor(
  parts: readonly string[],
  { text, words }: Words,
  rank: Rank | undefined,
): string[][] {
  const hashes = parts.map(hashIn);
  const oneOf = (...terms: readonly string[]) => hashes.flatMap((hash) => terms.map(hash));
  if (rank === 'exact') return [oneOf(whole + text)];
  const [first = ''] = words;
  const head = heads(first).at(-1) ?? '';
  const ranked = { start: [oneOf(start + head)], word: [oneOf(wordStart + head)], anywhere: [] };
  const sets = rank === undefined ? [] : ranked[rank];
  return [...sets, ...words.flatMap((word) => wordSets(word, oneOf))];
}

function wordSets(word: string, oneOf: (...terms: readonly string[]) => string[]): string[][] {
  if (isShort(word)) return [oneOf(start + word, wordStart + word)];
  const characters = [...word];
  const last = characters.length - gramLength;
  const count = Math.min(gramsAsked, Math.ceil(characters.length / gramLength));
  const places = Array.from({ length: count }, (_, at) =>
    count === 1 ? 0 : Math.round((at * last) / (count - 1)),
  );
  return places.map((at) => oneOf(gram + characters.slice(at, at + gramLength).join('')));
}

/** Terms are hashes, so that they have one length and one alphabet. Whoever reads by them compares the texts. */
function hashIn(part: string): (term: string) => string {
  const [high, low] = mixed(part, [0x9e3779b9, 0x85ebca6b]);
  return (term) => {
    const [one, other] = mixed(term, [high, low]);
    return ((other & 0xff) * 2 ** 32 + (one >>> 0)).toString(36);
  };
}

/** cyrb53, without its last step. */
function mixed(text: string, [high, low]: readonly [number, number]): readonly [number, number] {
  let [one, other] = [high, low];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 2_654_435_761);
    other = Math.imul(other ^ unit, 1_597_334_677);
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(other ^ (other >>> 13), 3_266_489_909);
  other = Math.imul(other ^ (other >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909);
  return [one, other];
}
