import { expect, test } from 'vitest';
import { collections } from '../../src/domain/collections/all.ts';
import { recordTerms } from '../../src/domain/collections/record-terms.ts';

test('the thread that writes knows the terms of every collection that declares some', () => {
  const declared = collections.flatMap(({ name, terms }) => (terms ? [[name, terms.of]] : []));
  expect(recordTerms).toEqual(Object.fromEntries(declared));
});
