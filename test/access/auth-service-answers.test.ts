import { describe, expect, test } from 'vitest';
import { readAllowed, readCaller } from '../../src/platform/tokens/auth-service.ts';

const usual = 'https://auth.example';
const read = (body: unknown, status = 200) => readCaller({ status, text: JSON.stringify(body) }, usual);

describe('the caller in a validate answer', () => {
  test.each([
    ['subject precedes sub', { subject: 'a', sub: 'b', userId: 'c', user_id: 'd' }, 'a'],
    ['sub precedes userId', { sub: 'b', userId: 'c', user_id: 'd' }, 'b'],
    ['userId precedes user_id', { userId: 'c', user_id: 'd' }, 'c'],
    ['user_id', { user_id: 'd' }, 'd'],
    ['a name in user', { user: { sub: 'b' } }, 'b'],
    ['a name in claims', { claims: { user_id: 'd' } }, 'd'],
    ['a name with higher precedence, in any place', { user_id: 'd', claims: { sub: 'b' } }, 'b'],
    ['null does not count', { subject: null, sub: 'b' }, 'b'],
    ['an empty text does not count', { subject: '', user: { sub: '' }, user_id: 'b' }, 'b'],
  ])('%s', (_name, answer, subject) => expect(read(answer)?.subject).toBe(subject));

  test('has the issuer of the answer, otherwise the default issuer', () => {
    expect(read({ sub: 'a' })).toMatchObject({ issuer: usual, expiresAt: null });
    expect(read({ sub: 'a', iss: 'https://idp.example', exp: 2 })).toMatchObject({
      issuer: 'https://idp.example',
      expiresAt: 2_000,
    });
    expect(read({ sub: 'a', iss: 'x', claims: { iss: 'https://idp.example', 'n/p': {} } })).toMatchObject({
      issuer: 'https://idp.example',
      claims: { 'n/p': {} },
    });
  });

  test.each([
    ['no subject', {}],
    ['a number as subject', { sub: 7 }],
    ['a number as the first name', { subject: 7, sub: 'b' }],
    ['only empty names', { subject: '', sub: '' }],
    ['a list', { sub: ['b'] }],
    ['a name that is too long', { sub: 'b'.repeat(1_001) }],
    ['a name with a control character', { sub: 'b\u0000' }],
    ['a name with a lone surrogate', { sub: 'b\ud800' }],
    ['a name from a prototype', JSON.parse('{"__proto__": {"sub": "b"}}')],
    ['an issuer that is not text', { sub: 'b', iss: 7 }],
    ['an empty issuer', { sub: 'b', iss: '' }],
    ['an issuer with a control character', { sub: 'b', iss: 'https://idp.example\n' }],
    ['an issuer that is too long', { sub: 'b', claims: { iss: `https://${'a'.repeat(1_000)}` } }],
    ['an expiry that is not a number', { sub: 'b', exp: 'never' }],
    ['claims that are not an object', { sub: 'b', claims: 'all' }],
    ['a user that is not an object', { sub: 'b', user: [] }],
    ['valid as text', { sub: 'b', valid: 'false' }],
    ['active as a number', { sub: 'b', active: 0 }],
    ['an array', [{ sub: 'b' }]],
    ['null', null],
  ])('is an error: %s', (_name, answer) => expect(() => read(answer)).toThrow());

  test.each([
    ['401', {}, 401],
    ['403', {}, 403],
    ['400', {}, 400],
    ['422', {}, 422],
    ['valid: false', { valid: false, sub: 'a' }, 200],
    ['active: false', { active: false }, 200],
  ])('is undefined for a rejected token: %s', (_name, answer, status) =>
    expect(read(answer, status)).toBeUndefined(),
  );

  test.each([404, 409, 429, 500, 503, 302])('is an error after status %s', (status) =>
    expect(() => read({ sub: 'a' }, status)).toThrow(String(status)),
  );
});

describe('an authorize answer', () => {
  const allowed = (body: unknown, status = 200) => readAllowed({ status, text: JSON.stringify(body) });

  test('allows what it says, except after 401 and 403', () => {
    expect(allowed({ allowed: true })).toBe(true);
    expect(allowed({ allowed: false })).toBe(false);
    expect(allowed({ allowed: true }, 403)).toBe(false);
    expect(allowed({ allowed: true }, 401)).toBe(false);
    for (const status of [400, 422]) expect(allowed({ allowed: true }, status)).toBe(false);
  });

  test.each([{}, { allowed: 'true' }, { allowed: 1 }, [], 'true', null])('is an error: %j', (body) =>
    expect(() => allowed(body)).toThrow(),
  );
  test.each([404, 500])('is an error after status %s', (status) =>
    expect(() => allowed({ allowed: true }, status)).toThrow(String(status)),
  );
});
