import { z } from 'zod';
import { jcs } from '../../identification/jcs.ts';
import { parseUtcTime } from '../../identifiers/timestamp.ts';
import type { Step, Thing } from '../evidence.ts';

/** What provenance says of a build, beside what went in and came out. */
interface Build {
  readonly name: string;
  readonly builder: string;
  readonly buildType: string;
  readonly invocation?: string | undefined;
  readonly parameters?: object | undefined;
  readonly started?: string | undefined;
  readonly finished?: string | undefined;
}

/** When something began or ended; empty if nobody knows. */
export const buildTime = z
  .string()
  .refine((text) => text === '' || parseUtcTime(text) !== null, 'must be a date and time of RFC 3339')
  .nullish();

/** Larger parameters stay in the original file. */
const parametersLimit = 16_384;

/** What a build by Cairn is: a command that `cairn record`, or a program that `record()`, has run. */
export const runType = 'urn:cairn:run:1';

/** A type of builds says nothing about one of them. */
export function nameOfBuild(buildType: string, subjects: readonly Thing[]): string {
  const named = subjects.find(({ name }) => name);
  return named ? `Build of ${named.name}` : buildType;
}

/** The facts that the page of the run shows, and the time of the evidence. */
export function buildFacts(build: Build): { facts: Step['facts']; time: string | undefined } {
  const { name, builder, buildType, invocation, parameters = {}, started, finished } = build;
  const [from, until] = [started, finished].map((text) => (text === undefined ? null : parseUtcTime(text)));
  const end = until ?? from ?? null;
  const isLarge = jcs(parameters).length > parametersLimit;
  const metadata = {
    ...(builder && { builder }),
    build_type: buildType,
    ...(invocation && { invocation }),
    ...(!isLarge && Object.keys(parameters).length > 0 && { parameters }),
  };
  const facts = {
    name,
    ...(from != null && { started: new Date(from).toISOString() }),
    ...(from != null && until != null && until >= from && { duration: (until - from) / 1_000 }),
    metadata,
  };
  return { facts, time: end === null ? undefined : new Date(end).toISOString() };
}
