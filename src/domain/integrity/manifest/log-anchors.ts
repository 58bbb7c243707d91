import { z } from 'zod';
import { isObject } from '../../json/is-object.ts';
import { refuse } from '../../log/proof-error.ts';
import { cidUrn, codecs, makeCid } from '../identifiers/cid.ts';

/**
 * The location of an anchor that covers a range of entries of a log. Its proof is one of `head-proof.ts`. All ranges of a
 * log have the same proof.
 */
const logLocationType = 'cairn-log';

const index = z.string().regex(/^(?:0|[1-9]\d{0,15})$/);

const logLocation = z.strictObject({
  type: z.literal(logLocationType),
  /** Index of the first entry. */
  first: z.int().nonnegative(),
  /** Entries that are not `statements` of the anchor in the form that the manifest has under their id. */
  entries: z.record(index, z.base64()),
  proof: z.string(),
});

type LogLocation = z.output<typeof logLocation>;

/** Undefined for another type of location. @throws LogProofError `malformed` */
export function logLocationIn(location: unknown): LogLocation | undefined {
  if (!isObject(location) || location.type !== logLocationType) return undefined;
  const { data, error } = logLocation.safeParse(location);
  const [{ path, message } = { path: [], message: '' }] = error?.issues ?? [];
  return data ?? refuse('malformed', `The member "${path.join('/')}" of the location is wrong: ${message}.`);
}

/** Each range of a log is one anchor, because an anchor has a limited size. */
export const entriesOfAnchor = 100_000;

export interface AnchoredRange extends Omit<LogLocation, 'type'> {
  /** Digests of the ids of statements, in the order of the log. */
  readonly ids: readonly Uint8Array[];
}

export function logAnchor({ ids, first, entries, proof }: AnchoredRange): string {
  return JSON.stringify({
    statements: ids.map((id) => cidUrn(makeCid(codecs.rdfc, id))),
    payload: { type: 'StatementId' },
    locations: [{ type: logLocationType, first, entries, proof } satisfies LogLocation],
  });
}
