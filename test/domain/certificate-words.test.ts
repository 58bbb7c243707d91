import { expect, test } from 'vitest';
import { certificateReasons } from '../../src/contract/words/certificates.ts';

test('a certificate that no longer stands says why, and a valid one what was not reviewed', () => {
  const lost = { statement: 'urn:cid:bagb6qaq6e', state: 'retracted' } as const;
  expect(certificateReasons({ standing: 'unsupported', lost, unreviewedControlCids: ['a'] })).toEqual([
    'It rests on bagb6qaq6e, which is retracted.',
  ]);
  expect(certificateReasons({ standing: 'unknown', lost: null, unreviewedControlCids: ['a'] })).toEqual([
    'Something that it rests on is not in this store, so nobody can tell whether it still stands.',
  ]);
  expect(certificateReasons({ standing: 'valid', lost: null, unreviewedControlCids: ['a', 'b'] })).toEqual([
    'The last review has not approved 2 controls of its policy.',
  ]);
  expect(certificateReasons({ standing: 'valid', lost: null, unreviewedControlCids: [] })).toEqual([]);
});
