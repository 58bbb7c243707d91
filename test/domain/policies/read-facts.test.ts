import { expect, test } from 'vitest';
import { evaluate } from '../../../src/domain/integrity/policies/evaluate.ts';
import { readFacts } from '../../../src/domain/integrity/policies/read-facts.ts';
import { readPolicy } from '../../../src/domain/integrity/policies/read-policy.ts';

const metadata = {
  id: 'x',
  names: ['x'],
  hashes: { sha256: 'ab' },
  log: { index: 1, witnesses: [{ name: 'w' }] },
};

test('facts may be as few as the rules need', async () => {
  const read = readFacts({ subject: 'x', things: { artefacts: { x: metadata } } });
  const rules = [{ name: 'named', require: "names.exists(n, n == 'x') && subject.log.index == 1" }];
  const policy = readPolicy(JSON.stringify({ cairn: 'policy/1', name: 'p', rules }));
  if (!('facts' in read && 'policy' in policy)) throw new Error(JSON.stringify([read, policy]));
  expect(await evaluate(policy.policy, read.facts, new Date())).toMatchObject({ result: 'pass' });
  expect(readFacts(JSON.parse(JSON.stringify(read.facts)))).toEqual(read);
});

test.each([
  [{}, 'subject', 'must be a text'],
  [{ subject: 'x', upstraem: [] }, '', 'has unknown members: "upstraem"'],
  [
    { subject: 'x', things: { artefacts: { x: { size: 'big' } } } },
    'things.artefacts.x.size',
    'must be a number',
  ],
  [
    { subject: 'x', things: { artefacts: { x: { reviews: [{ at: 'May' }] } } } },
    'things.artefacts.x.reviews[0].at',
    'must be a time, such as 2026-12-31T12:00:00Z',
  ],
  [
    { subject: 'x', things: { artefacts: { x: { signed_by: 'builder' } } } },
    'things.artefacts.x',
    'has unknown members: "signed_by"',
  ],
])('facts of another form are refused with their place: %j', (value, name, words) => {
  expect(readFacts(value)).toMatchObject({ problems: [{ name, words }] });
});
