import { expect, test } from 'vitest';
import { agentIdOf, randomAgentId } from '../../../src/domain/control-plane/agents/registration-tokens.ts';

/** Computed apart from the code. They must never change, because agents would lose their ids. */
test.each([
  [
    { issuer: 'https://issuer.example', subject: 'ada', handle: 'build' },
    'agent_lcv4r6e76nlauhhud62qvvil4hwne6nb',
  ],
  [
    { issuer: 'https://issuer.example', subject: 'ada', handle: 'Zoë "🪨"' },
    'agent_hcmre3zv73wsqq64doubbebkrtdcfdye',
  ],
])('the id of %o is fixed', (named, id) => {
  expect(agentIdOf(named)).toBe(id);
});

test('a handle has one id in both normalization forms', () => {
  const named = { issuer: 'i', subject: 's' };
  expect(agentIdOf({ ...named, handle: 'Zoe\u0308' })).toBe(agentIdOf({ ...named, handle: 'Zo\u00eb' }));
});

test('members cannot be shifted into each other', () => {
  const ids = [
    { issuer: 'a', subject: 'b', handle: 'c' },
    { issuer: 'ab', subject: '', handle: 'c' },
    { issuer: 'a', subject: 'bc', handle: '' },
    { issuer: 'a","b', subject: '', handle: 'c' },
  ].map(agentIdOf);
  expect(new Set(ids).size).toBe(ids.length);
});

test('ids without a handle are random', () => {
  expect(randomAgentId()).toMatch(/^agent_[a-z2-7]{32}$/);
  expect(randomAgentId()).not.toBe(randomAgentId());
});
