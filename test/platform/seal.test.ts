import { expect, test } from 'vitest';
import { Seal } from '../../src/platform/sign-in/seal.ts';

const secret = 'a-secret-of-thirty-two-bytes-or-more';
let time = Date.parse('2026-01-01T00:00:00Z');
const now = () => new Date(time);
const seal = new Seal(secret, 'tests', now);

test('sealed data opens in any process with the secret until it expires', async () => {
  const sealed = await seal.seal({ state: 'one' }, 600);
  expect(sealed).not.toContain(Buffer.from('one').toString('base64url'));
  expect(await new Seal(secret, 'tests', now).open(sealed)).toMatchObject({ state: 'one' });
  time += 599_000;
  expect(await seal.open(sealed)).toMatchObject({ state: 'one' });
  time += 1_000;
  expect(await seal.open(sealed)).toBeUndefined();
});

test('sealed data does not open for another purpose or with another secret', async () => {
  const sealed = await seal.seal({ state: 'one' }, 600);
  expect(await new Seal(secret, 'others', now).open(sealed)).toBeUndefined();
  expect(await new Seal(`${secret}!`, 'tests', now).open(sealed)).toBeUndefined();
});

test('sealing the same data twice gives different results', async () => {
  expect(await seal.seal({ state: 'one' }, 600)).not.toBe(await seal.seal({ state: 'one' }, 600));
});

test('sealed data that was changed does not open', async () => {
  const sealed = await seal.seal({ state: 'one' }, 600);
  for (let place = 0; place < sealed.length; place += 1) {
    // The last letter of a part may have unused bits.
    if (sealed[place] === '.' || sealed[place + 1] === '.' || place === sealed.length - 1) continue;
    const changed = sealed[place] === 'A' ? 'B' : 'A';
    expect(await seal.open(`${sealed.slice(0, place)}${changed}${sealed.slice(place + 1)}`)).toBeUndefined();
  }
  for (const other of ['', 'nonsense', 'a.b.c', 'a.b.c.d.e', `${sealed}.x`, sealed.slice(0, -8)])
    expect(await seal.open(other)).toBeUndefined();
});
