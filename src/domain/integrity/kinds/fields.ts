import { z } from 'zod';
import { isCidUrn, isDid, isUrn, isUuidUrn } from '../identifiers/identifiers.ts';

export const did = z.string().refine(isDid, 'must be a DID');
export const cid = z.string().refine(isCidUrn, 'must be "urn:cid:" and a valid CID');
export const uuid = z.string().refine(isUuidUrn, 'must be "urn:uuid:" and a UUID');
export const urnOrDid = z
  .string()
  .refine((text) => isDid(text) || isUrn(text), 'must be a URN or a DID (a CID in it must be valid)');
export const base64 = z.base64();

export function oneOrMany(one: z.ZodType<string>) {
  return z.union([one, z.array(one).min(1)], { error: 'must be one value or a non-empty list of them' });
}

/** RFC 3339, UTC, whole seconds, `Z`. */
const timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, {
    error: 'must be an RFC 3339 time in UTC with seconds, as 2026-01-31T12:00:00Z',
    abort: true,
  })
  .refine((text) => isRealTime(text), 'must be a time that exists');

function isRealTime(text: string): boolean {
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString() === text.replace('Z', '.000Z');
}

export const commonShape = {
  '@context': z.union([z.string(), z.array(z.unknown())]),
  '@id': z.string().optional(),
  registeredBy: did,
  timestamp,
};

export interface Field {
  readonly shape: z.ZodType;
  /** Its definition in the service's own context, without the IRI. */
  readonly term: Readonly<Record<string, unknown>>;
  readonly isReference: boolean;
  /** The label of its edge in drawings. Default: the name of the field. */
  readonly word?: string;
  /** The title of the document in this field, for documents without a name. */
  readonly document?: string;
}

type Shown = Pick<Field, 'word' | 'document'>;

/** A reference that is an IRI in RDF. */
export function link(shape: z.ZodType, shown: Shown = {}): Field {
  return { shape, term: { '@type': '@id' }, isReference: true, ...shown };
}

/** A reference that is a literal in RDF. */
export function literalLink(shape: z.ZodType, shown: Shown = {}): Field {
  return { shape, term: {}, isReference: true, ...shown };
}

export function literal(shape: z.ZodType, term: Field['term'] = {}): Field {
  return { shape, term, isReference: false };
}
