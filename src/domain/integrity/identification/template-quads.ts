import type { Quad, Term } from 'rdf-canonize';
import { plainIri, type Value } from './template-shape.ts';

/** How JSON-LD writes a number: as it is, or as an `xsd:double`. */
export type Notation = 'plain' | 'double';

/** A value that stands for others, to see what JSON-LD makes of them. */
export interface Probe {
  readonly value: Value;
  /** The texts by which it is found in the RDF, for each item. */
  readonly tokens: readonly (readonly (readonly [token: string, notation: Notation])[])[];
}

/** Probes of different rounds have nothing in common but their form. */
export const rounds = ['urn:', 'did:', 'https://'].map((scheme, round) => ({ scheme, round }));
export type Round = (typeof rounds)[number];

const numbers = 900_719;

/** What is left of a probe that JSON-LD did not keep as it is. */
const probeRemains = /cairn.probe|9\.?00719/;

/** @param values of which each gets a probe, unless `kept` has its index. */
export function probesFor(
  values: readonly Value[],
  kept: ReadonlySet<number>,
  round: Round,
): (Probe | undefined)[] {
  return values.map((value, at) => (kept.has(at) ? undefined : probeFor(value, at, round)));
}

function probeFor(value: Value, at: number, { scheme, round }: Round): Probe {
  if (typeof value === 'number') return numberProbe(value, round * 1_000 + at);
  const isIri = plainIri.test(typeof value === 'string' ? value : (value[0] ?? ''));
  const token = (item: number) =>
    isIri ? `${scheme}cairn-probe-${round}-${at}-${item}` : `cairn probe ${round} ${at} ${item}`;
  if (typeof value === 'string') return { value: token(0), tokens: [[[token(0), 'plain']]] };
  // Two, to see that each becomes a quad.
  const items = [token(0), token(1)];
  return { value: items, tokens: items.map((item) => [[item, 'plain'] as const]) };
}

function numberProbe(value: number, number: number): Probe {
  if (!Number.isInteger(value)) {
    const probe = numbers * 1_000_000 + number + 0.5;
    return { value: probe, tokens: [[[doubleText(probe), 'double']]] };
  }
  const probe = numbers * 1_000_000_000 + number;
  const plain = [String(probe), 'plain'] as const;
  return { value: probe, tokens: [[plain, [doubleText(probe), 'double']]] };
}

/** The canonical form of an `xsd:double` (JSON-LD 1.1 API, 8.6). */
export function doubleText(value: number): string {
  return value.toExponential(15).replace(/(\d)0*e\+?/, '$1E');
}

/** A term of a quad, or the value with this index. */
export type Slot = Term & { readonly at?: number; readonly notation?: Notation; readonly isList?: boolean };

/** A quad, or one quad for each value of the list in `object`. */
export interface TemplateQuad {
  readonly subject: Slot;
  readonly predicate: Term;
  readonly object: Slot;
  readonly graph: Slot;
}

type Probes = readonly (Probe | undefined)[];

interface Owner {
  readonly at: number;
  readonly item: number;
  readonly isList: boolean;
  readonly notation: Notation;
}

/** The indexes of the probes that JSON-LD did not keep as they are. */
export function lostProbes(quads: readonly Quad[], probes: Probes): number[] {
  const kept = new Set(quads.flatMap((quad) => partsOf(quad).map(({ value }) => value)));
  return probes.flatMap((probe, at) => {
    const isKept = probe?.tokens.every((tokens) => tokens.some(([token]) => kept.has(token)));
    return probe && !isKept ? [at] : [];
  });
}

function partsOf({ subject, predicate, object, graph }: Quad): readonly Term[] {
  return [subject, predicate, object, graph];
}

/** Turns the RDF of the probes into a template; undefined if the values have another effect than filling places. */
export function templateQuads(quads: readonly Quad[], probes: Probes): TemplateQuad[] | undefined {
  const owners = ownersOf(probes);
  const counts = new Map<string, number>();
  /** The rest of the quad of each list. It must be the same for every item. */
  const lists = new Map<number, string>();
  const found: TemplateQuad[] = [];
  for (const quad of quads) {
    if (quad.predicate.termType !== 'NamedNode') return undefined;
    const owned = partsOf(quad).map(({ value }) => owners.get(value));
    const [, predicate, object] = owned;
    const isElsewhere = owned.some((owner) => owner?.isList && owner !== object);
    const hasRemains = partsOf(quad).some(
      (part, at) => !owned[at] && probeRemains.test(JSON.stringify(part)),
    );
    if (predicate || isElsewhere || hasRemains) return undefined;
    if (object?.isList) {
      const rest = JSON.stringify({ ...quad, object: { ...quad.object, value: '' } });
      if (lists.getOrInsert(object.at, rest) !== rest) return undefined;
    }
    for (const { value } of partsOf(quad)) counts.set(value, (counts.get(value) ?? 0) + 1);
    if (object?.item === 1) continue;
    const [subject, , value, graph] = partsOf(quad).map((part, at) => slotOf(part, owned[at])) as Slots;
    found.push({ subject, predicate: quad.predicate, object: value, graph });
  }
  const isWhole = [...owners].every(([token, { isList }]) => !isList || counts.get(token) === 1);
  return isWhole && lostProbes(quads, probes).length === 0 && found.length > 0 ? found : undefined;
}

type Slots = [Slot, Slot, Slot, Slot];

function slotOf(part: Term, owner: Owner | undefined): Slot {
  if (!owner) return part;
  const { at, notation, isList } = owner;
  return { ...part, value: '', at, notation, isList };
}

function ownersOf(probes: Probes): Map<string, Owner> {
  const owners = new Map<string, Owner>();
  for (const [at, probe] of probes.entries()) {
    for (const [item, tokens] of probe?.tokens.entries() ?? []) {
      const isList = Array.isArray(probe?.value);
      for (const [token, notation] of tokens) owners.set(token, { at, item, isList, notation });
    }
  }
  return owners;
}
