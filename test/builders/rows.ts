import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import type { StatementRow } from '../../src/domain/integrity/ports.ts';

const utf8 = new TextEncoder();

/** A form of a statement. Equal texts are equal forms; equal meanings share their `rdfcCid`. */
export function row(text: string, fields: Partial<StatementRow> & { meaning?: string } = {}): StatementRow {
  const { meaning = text, ...others } = fields;
  const jcs = utf8.encode(text);
  return {
    jcsCid: cidOf(codecs.jcs, jcs),
    rdfcCid: cidOf(codecs.rdfc, meaning),
    jcs,
    kind: 'DataRegistration',
    references: [],
    time: null,
    contextSet: cidOf(codecs.jcs, 'contexts').text,
    isTrusted: true,
    ...others,
  };
}

/** Rows with everything that a stored form distinguishes. */
export const samples: readonly StatementRow[] = [
  row('{"about":"did:web:example","data":"urn:cid:bafkr4ia"}', {
    meaning: 'sample',
    references: [
      { role: 'data', identifier: 'urn:cid:bafkr4ia' },
      { role: 'schema:about', identifier: 'did:web:example' },
      { role: 'registeredBy', identifier: 'did:x:"' },
    ],
    time: 1_769_860_800_000,
  }),
  row('{}', { isTrusted: false, kind: 'https://example.org/Other' }),
];
