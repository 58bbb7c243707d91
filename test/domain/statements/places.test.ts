import { expect, test } from 'vitest';
import { statementKindNames, statementKinds } from '../../../src/domain/integrity/kinds/registry.ts';
import {
  otherPlaces,
  placeNumber,
  statementPlaces,
} from '../../../src/domain/integrity/statements/places.ts';
import { referencesOf } from '../../../src/domain/integrity/statements/references.ts';

const urn = 'urn:uuid:5f1f1c8e-3f6a-4f0e-9d7b-0d6f3f2a9b12';
const fields = ['registeredBy', ...Object.values(statementKinds).flatMap(({ references }) => references)];
/** A statement in which every field of every kind refers to something. */
const statement = {
  ...Object.fromEntries(fields.map((field) => [field, urn])),
  credential: {
    id: urn,
    credentialSubject: { id: urn },
    evidence: 'urn:cid:bafkr4icploa577ziqnb57jlpoj7l2hi5kgt3knxpdtunlttjd3q33zeqpy',
  },
  credentialDsse: { payload: Buffer.from(urn).toString('base64') },
};

test('every reference field of a known kind has its own number', () => {
  const found = statementKindNames.flatMap((kind) =>
    referencesOf(statement, kind, () => true).map(({ role }) => ({ role, kind })),
  );
  const numbers = found.map(placeNumber);
  expect(found.filter((place) => placeNumber(place) === otherPlaces)).toEqual([]);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers.toSorted((one, other) => one - other)).toEqual(statementPlaces.map((_, at) => at + 1));
});

test('places of other kinds share one number', () => {
  expect(placeNumber({ role: 'data', kind: 'https://example.org/Kind' })).toBe(otherPlaces);
  expect(placeNumber({ role: 'odd', kind: 'DataRegistration' })).toBe(otherPlaces);
});

/** Stores keep these numbers. */
test('places keep their numbers', () => {
  expect(placeNumber({ role: 'association', kind: 'AssociationRegistration' })).toBe(1);
  expect(placeNumber({ role: 'subject', kind: 'MetadataRegistration' })).toBe(39);
});
