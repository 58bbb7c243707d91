import { z } from 'zod';
import { cidIn, codecs } from '../identifiers/cid.ts';
import { isCidUrn, isDid, isUrn, isUuidUrn } from '../identifiers/identifiers.ts';
import { parseTime } from '../identifiers/timestamp.ts';

/** The start of each kind of URN that people forget, and what the rest alone is called. */
const starts = [
  ['urn:cid:', 'a bare CID'],
  ['urn:uuid:', 'a bare UUID'],
] as const;

/** How to write the values of a field. */
export interface Writing {
  /** In words. */
  readonly form: string;
  readonly example?: string;
  readonly isMany?: true;
  /** What stands for a file: its CID, the JSON in it, or the base64 of its JSON in RFC 8785 form. */
  readonly file?: 'cid' | 'json' | 'base64';
}

function text(isValid: (text: string) => boolean, { form, example = '', file }: Writing) {
  const words = `must be ${form}, such as "${example}"`;
  const error = ({ input }: { readonly input?: unknown }) => {
    const [start, bare] = starts.find(([before]) => isValid(before + String(input))) ?? [];
    return start === undefined ? words : `is ${bare}. Write "${start}${input}"`;
  };
  return z.string({ error }).refine(isValid, { error }).meta({ form, example, file });
}

const exampleCid = 'urn:cid:bafkr4ihbblfw5rvdryjggyidrmpr5inxgbynd6ibbv6ztkudbzrwpbkyv4';
export const did = text(isDid, {
  form: 'a DID',
  example: 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp',
});
export const cid = text(isCidUrn, { form: '"urn:cid:" and a CID', example: exampleCid, file: 'cid' });
export const statementId = text((value) => isCidUrn(value) && cidIn(value)?.codec === codecs.rdfc, {
  form: 'the id of a statement',
  example: 'urn:cid:bagb6qaq6eblihflzqwfmskz4uwmi4gqjkbeqjxfz6hfxrukyd3p4bvqpgvyfu',
});
export const uuid = text(isUuidUrn, {
  form: '"urn:uuid:" and a UUID',
  example: 'urn:uuid:1b4e28ba-2fa1-41d2-883f-0016d3cca427',
});
export const urnOrDid = text((value) => isDid(value) || isUrn(value), {
  form: 'a URN (a CID or UUID in it must be valid) or a DID',
  example: exampleCid,
  file: 'cid',
});
export const base64 = z.base64();

export function oneOrMany(one: ReturnType<typeof text>) {
  const writing = one.meta() ?? {};
  const error = `must be ${writing.form}, or a list of them, such as "${writing.example}"`;
  return z.union([one, z.array(one).min(1)], { error }).meta({ ...writing, isMany: true });
}

/** RFC 3339, UTC, whole seconds, `Z`. */
const timestamp = text(
  (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value) && parseTime(value) !== null,
  { form: 'a UTC time in whole seconds', example: '2026-01-31T12:00:00Z' },
);

export const commonShape = {
  '@context': z.union([z.string(), z.array(z.unknown())]),
  '@id': z.string().optional(),
  registeredBy: did,
  timestamp,
};

export interface Field {
  readonly shape: z.ZodType;
  /** What its value says, for people. */
  readonly meaning: string;
  readonly isReference: boolean;
  /** The label of its edge in drawings. Default: the name of the field. */
  readonly word?: string;
  /** The title of the document in this field, for documents without a name. */
  readonly document?: string;
}

type Shown = Pick<Field, 'word' | 'document'>;

export function link(shape: z.ZodType, meaning: string, shown: Shown = {}): Field {
  return { shape, meaning, isReference: true, ...shown };
}

export function literal(shape: z.ZodType, meaning: string): Field {
  return { shape, meaning, isReference: false };
}
