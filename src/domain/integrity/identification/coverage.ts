import type { JsonObject } from '../../json/is-object.ts';
import { jsonPointer } from '../../json/strict-json.ts';
import type { ContextWorld } from '../contexts/world.ts';
import { toRdf } from './json-ld.ts';
import { serializeNQuads } from './rdfc.ts';

/** A place in a statement that its `rdfc_cid` does not cover. Its `jcs_cid` covers everything. */
export interface Uncovered {
  /** RFC 6901 pointer into the statement. */
  readonly pointer: string;
  readonly reason: string;
}

type Path = readonly (string | number)[];
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Only this many places of a document are tried, and only as long as their pointers are short in total. */
const maxPlaces = 400;
const maxPointers = 1 << 17;
const quickPlaces = 40;

/**
 * The places that the id of a document does not cover. Each value is changed in turn; if the RDF stays the same, the
 * value is not covered. This takes one JSON-LD run per value, so it is used only if JSON-LD reports dropped values or
 * the document has values that never produce RDF.
 */
export async function uncoveredPlaces(statement: JsonObject, world: ContextWorld): Promise<Uncovered[]> {
  const document = statement as Json;
  const original = await rdfText(document, world);
  const places = leaves(document);
  const uncovered: Uncovered[] = [];
  const tried = firstOf(places);
  for (const place of tried) {
    const changed = await rdfText(withChange(document, place), world).catch(() => undefined);
    if (changed === original)
      uncovered.push({ pointer: jsonPointer(place), reason: reasonFor(document, place) });
  }
  if (places.length > tried.length && uncovered.length === 0) {
    uncovered.push({ pointer: '', reason: 'the document is too large to find the place' });
  }
  const silent = world.hasSilentTerms(document) ? await silentKeys(document, world, original) : [];
  const own = silent.filter((key) => !uncovered.some((place) => isWithin(place.pointer, key.pointer)));
  return [...mergeSubtrees(uncovered, document), ...own];
}

export function isQuicklyChecked(document: unknown): boolean {
  return leaves(document as Json).length <= quickPlaces;
}

function firstOf(places: readonly Path[]): Path[] {
  let length = 0;
  return places.slice(0, maxPlaces).filter((place) => {
    length += place.reduce<number>((sum, step) => sum + String(step).length, 0);
    return length <= maxPointers;
  });
}

/** Whether one RFC 6901 pointer is the other or points into it. */
export function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(`${outer}/`);
}

/** Keys of index maps. Renaming such a key does not change the RDF, even if its value is covered. */
async function silentKeys(document: Json, world: ContextWorld, original: string): Promise<Uncovered[]> {
  const silent: Uncovered[] = [];
  for (const place of firstOf(keys(document))) {
    const changed = await rdfText(withOtherKey(document, place), world).catch(() => undefined);
    if (changed === original) silent.push({ pointer: jsonPointer(place), reason: 'the key produces no RDF' });
  }
  return silent;
}

/** Whether the document has values that JSON-LD drops silently: nulls, empty lists. */
export function holdsSilentValues(value: unknown): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0 || value.some(holdsSilentValues);
  return typeof value === 'object' && members(value).some(([, member]) => holdsSilentValues(member));
}

/** Whether the document has keywords whose values JSON-LD may drop silently. */
export function holdsSilentKeywords(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return members(value).some(([key, member]) => silentKeywords.has(key) || holdsSilentKeywords(member));
}

function members(value: object): [string, unknown][] {
  return Object.entries(value).filter(([key]) => key !== '@context');
}

const silentKeywords = new Set(['@index', '@included', '@nest', '@direction']);

async function rdfText(document: unknown, world: ContextWorld): Promise<string> {
  return serializeNQuads((await toRdf(document as object, world)).quads);
}

/** The paths of all scalars, nulls and empty containers outside contexts. */
function leaves(value: Json, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  if (Object.keys(value).length === 0) return path.length > 0 ? [path] : [];
  return stepsInto(value).flatMap(([step, member]) => leaves(member, [...path, step]));
}

/** The items of an array, or the members of an object outside contexts. */
function stepsInto(value: object): [string | number, Json][] {
  return Array.isArray(value) ? [...value.entries()] : (members(value) as [string, Json][]);
}

function keys(value: Json, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return stepsInto(value).flatMap(([step, member]) => {
    const inside = keys(member, [...path, step]);
    return typeof step === 'string' ? [[...path, step], ...inside] : inside;
  });
}

function withOtherKey(value: Json, [step, ...rest]: Path): Json {
  if (Array.isArray(value)) return value.with(Number(step), withOtherKey(value[Number(step)] as Json, rest));
  const members = Object.entries(value as { readonly [key: string]: Json });
  return Object.fromEntries(
    members.map(([key, member]) => {
      if (key !== step) return [key, member];
      return rest.length === 0 ? [`${key}x`, member] : [key, withOtherKey(member, rest)];
    }),
  );
}

function withChange(value: Json, [step, ...rest]: Path): Json {
  if (step === undefined) return otherScalar(value);
  if (Array.isArray(value)) {
    const at = Number(step);
    const item = value[at] as Json;
    if (rest.length === 0 && isEmpty(item)) return value.toSpliced(at, 1);
    return value.with(at, withChange(item, rest));
  }
  const members = value as { readonly [key: string]: Json };
  const member = members[String(step)] as Json;
  if (rest.length === 0 && isEmpty(member)) {
    return Object.fromEntries(Object.entries(members).filter(([key]) => key !== step));
  }
  return { ...members, [String(step)]: withChange(member, rest) };
}

function isEmpty(value: Json): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

function otherScalar(value: Json): Json {
  if (typeof value === 'string') return `${value}x`;
  if (typeof value === 'number') return value + 1;
  return !value;
}

function reasonFor(document: unknown, path: Path): string {
  const value = path.reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], document);
  if (value === null) return 'null produces no RDF';
  if (typeof value === 'object') return 'an empty value produces no RDF';
  const last = path.at(-1);
  if (typeof last === 'string' && last.startsWith('@'))
    return `the value of ${last} is not an absolute IRI in this context`;
  return 'the context has no term for this member, or no IRI for this value';
}

/** Reports a member that is not covered at all once, instead of each value inside it. */
function mergeSubtrees(uncovered: readonly Uncovered[], document: Json): Uncovered[] {
  if (typeof document !== 'object' || document === null) return [...uncovered];
  const merged: Uncovered[] = [];
  for (const [key, member] of members(document) as [string, Json][]) {
    const pointer = jsonPointer([key]);
    const inside = uncovered.filter((place) => isWithin(place.pointer, pointer));
    const isWhole =
      typeof member === 'object' && inside.length > 1 && inside.length === leaves(member).length;
    if (isWhole) merged.push({ pointer, reason: 'the context has no term for this member' });
    else merged.push(...inside);
  }
  return [...merged, ...uncovered.filter(({ pointer }) => pointer === '')];
}
