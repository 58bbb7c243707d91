import type { StatementRow } from '../../src/domain/integrity/ports.ts';
import type { Place } from '../../src/domain/integrity/statements/places.ts';
import { row } from '../contract/rows.ts';

export const kinds = ['DataRegistration', 'MetadataRegistration', 'https://example.org/Kind'] as const;
const roles = ['data', 'payload', 'registeredBy', 'subject'] as const;
export const things = ['urn:x:hub', 'urn:x:0', 'urn:x:1'] as const;
export const makers = ['did:web:0', 'did:web:1'] as const;

/** In the order in which references are listed. */
export const places: readonly Place[] = roles.flatMap((role) => kinds.map((kind) => ({ role, kind })));

export const names = 60;

/** A statement, in one of its forms; `lie` is what somebody says of it who cannot be trusted. */
export interface Said {
  readonly name: number;
  readonly form: number;
  readonly lie: number | null;
}

/** What a trusted row says follows from its bytes. Everything refers to one thing, and to some others. */
export function rowOf({ name, form, lie }: Said): StatementRow {
  const meant = name + (lie ?? 0);
  const references = [
    { role: ['data', 'subject', 'payload'][meant % 3] ?? '', identifier: things[0] },
    { role: 'data', identifier: things[1 + (meant % 2)] ?? '' },
    { role: 'registeredBy', identifier: makers[meant % 2] ?? '' },
  ];
  const kind = kinds[meant % 7 < 3 ? meant % 3 : 0] ?? '';
  const time = name % 5 === 0 ? null : name % 10;
  const fields = { kind, references, time, isTrusted: lie === null, meaning: `statement ${meant}` };
  return row(`statement ${name}, form ${form}`, fields);
}
