import type { Value } from './template-shape.ts';
import { plainIri } from './template-shape.ts';

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
export const probeRemains = /cairn.probe|9\.?00719/;

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
  return {
    value: probe,
    tokens: [
      [
        [String(probe), 'plain'],
        [doubleText(probe), 'double'],
      ],
    ],
  };
}

/** The canonical form of an `xsd:double` (JSON-LD 1.1 API, 8.6). */
export function doubleText(value: number): string {
  return value.toExponential(15).replace(/(\d)0*e\+?/, '$1E');
}
