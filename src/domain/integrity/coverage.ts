import { jsonPointer } from '../strict-json.ts';
import type { ContextWorld } from './context-world.ts';
import { toRdf } from './json-ld.ts';
import { serializeNQuads } from './rdfc.ts';

/** A place of a statement that its `rdfc_cid` does not depend on. Its `jcs_cid` always does. */
export interface Uncovered {
  /** RFC 6901 pointer into the statement. */
  readonly pointer: string;
  readonly reason: string;
}

type Path = readonly (string | number)[];
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** So many places are tried one by one; a document with more is searched by its members first. */
const placesTried = 400;

/**
 * What the id of a document leaves out: each value is changed in turn, and the RDF is compared. What makes no
 * difference is not covered. The exact answer for the price of one JSON-LD run per value, so it is asked only
 * where JSON-LD reports that it dropped something, or the document holds what never becomes RDF.
 */
export async function uncoveredPlaces(
  document: Readonly<Record<string, unknown>>,
  world: ContextWorld,
): Promise<Uncovered[]> {
  const original = await rdfText(document, world);
  const places = leaves(document as Json);
  const uncovered: Uncovered[] = [];
  for (const place of places.slice(0, placesTried)) {
    const changed = await rdfText(withChange(document as Json, place), world).catch(() => undefined);
    if (changed === original)
      uncovered.push({ pointer: jsonPointer(place), reason: reasonFor(document, place) });
  }
  if (places.length > placesTried && uncovered.length === 0) {
    uncovered.push({ pointer: '', reason: 'the document is too large to name the place' });
  }
  return mergeSubtrees(uncovered, document as Json);
}

/** Whether the document holds values that JSON-LD drops without telling: nulls, empty lists, indexes. */
export function holdsSilentValues(value: unknown): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0 || value.some(holdsSilentValues);
  if (typeof value !== 'object') return false;
  return Object.entries(value).some(
    ([key, member]) => key !== '@context' && (silentKeywords.has(key) || holdsSilentValues(member)),
  );
}

const silentKeywords = new Set(['@index', '@included', '@nest', '@direction']);

async function rdfText(document: unknown, world: ContextWorld): Promise<string> {
  return serializeNQuads((await toRdf(document as object, world)).quads);
}

/** The paths of all scalars, nulls and empty containers outside of contexts. */
function leaves(value: Json, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const members: [string | number, Json][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  if (members.length === 0) return path.length > 0 ? [path] : [];
  return members.flatMap(([step, member]) => (step === '@context' ? [] : leaves(member, [...path, step])));
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
  if (value === null) return 'a null becomes no RDF';
  if (typeof value === 'object') return 'an empty value becomes no RDF';
  const last = path.at(-1);
  if (typeof last === 'string' && last.startsWith('@'))
    return `the value of ${last} is no absolute IRI in this context`;
  return 'the context has no term for this member, or no IRI for this value';
}

/** A member of which nothing is covered is named once, instead of each value inside of it. */
function mergeSubtrees(uncovered: readonly Uncovered[], document: Json): Uncovered[] {
  if (typeof document !== 'object' || document === null) return [...uncovered];
  const merged: Uncovered[] = [];
  for (const [key, member] of Object.entries(document)) {
    if (key === '@context') continue;
    const pointer = jsonPointer([key]);
    const inside = uncovered.filter(
      (place) => place.pointer === pointer || place.pointer.startsWith(`${pointer}/`),
    );
    const isWhole =
      typeof member === 'object' && inside.length > 1 && inside.length === leaves(member).length;
    if (isWhole) merged.push({ pointer, reason: 'the context has no term for this member' });
    else merged.push(...inside);
  }
  return [...merged, ...uncovered.filter(({ pointer }) => pointer === '')];
}
