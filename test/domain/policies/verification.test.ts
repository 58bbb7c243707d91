import { expect, test } from 'vitest';
import { unmetRequirement } from '../../../src/cli/commands/verify/requirements.ts';
import { noCredentials } from '../../../src/domain/integrity/manifest/credential-standings.ts';
import type { WholeLog } from '../../../src/domain/integrity/manifest/summary.ts';
import { type Judged, judge } from '../../../src/domain/integrity/policies/verification.ts';

const good: Judged = {
  faults: 0,
  ids: 2,
  known: 2,
  isAsked: true,
  credentials: noCredentials,
  logs: [],
  unlogged: 0,
};
const logOf = (isKnown: boolean) => ({ checkpoint: { isKnown } }) as WholeLog;

test.each<[string, Partial<Judged>]>([
  ['failed', { faults: 1 }],
  ['failed', { faults: 1, isAsked: false }],
  ['unaltered', { isAsked: false, known: 0 }],
  ['unaltered', { isAsked: false, known: 0, ids: 0 }],
  ['partly_known', { known: 1 }],
  ['partly_known', { known: 0, ids: 0 }],
  ['known', {}],
  ['known', { ids: 1_000_000, known: 1_000_000 }],
])('the verdict is %s of a manifest with %j', async (answer, change) => {
  expect(await judge({ ...good, ...change })).toMatchObject({ answer });
});

test.each<[string, Partial<Judged>, RegExp | undefined]>([
  ['requireSigner', {}, undefined],
  ['requireSigner', { known: 1 }, /^1 of 2 statements are not signed/],
  ['requireSigner', { ids: 0, known: 0 }, /^There is no statement/],
  ['requireStatus', {}, undefined],
  ['requireStatus', { credentials: { ...noCredentials, unknown: 1 } }, /^1 credential is revoked/],
  ['requireStatus', { credentials: { ...noCredentials, revoked: 1, suspended: 1 } }, /^2 credentials are/],
  ['requireComplete', {}, /^Nothing proves/],
  ['requireComplete', { logs: [logOf(true)] }, undefined],
  ['requireComplete', { logs: [logOf(true), logOf(false)] }, /^Nobody can tell whose log/],
  ['requireComplete', { logs: [logOf(true)], unlogged: 3 }, /^No log has 3/],
])('%s of a manifest with %j says %s', async (flag, change, expected) => {
  const manifest = { ...good, ...change };
  const problem = unmetRequirement(manifest, await judge(manifest), { [flag]: true });
  if (expected) expect(problem).toMatch(expected);
  else expect(problem).toBeUndefined();
});
