import { describe, expect, test } from 'vitest';
import { readAllowed, readCaller } from '../../src/platform/tokens/auth-service-answers.ts';

const usual = 'https://auth.example';
const read = (body: unknown, status = 200) => readCaller({ status, text: JSON.stringify(body) }, usual);

describe('who a validate answer names', () => {
  test.each([
    ['subject before sub', { subject: 'a', sub: 'b', userId: 'c', user_id: 'd' }, 'a'],
    ['sub before userId', { sub: 'b', userId: 'c', user_id: 'd' }, 'b'],
    ['userId before user_id', { userId: 'c', user_id: 'd' }, 'c'],
    ['user_id', { user_id: 'd' }, 'd'],
    ['a user', { user: { sub: 'b' } }, 'b'],
    ['claims', { claims: { user_id: 'd' } }, 'd'],
    ['a name that counts more, wherever it is', { user_id: 'd', claims: { sub: 'b' } }, 'b'],
    ['null is no name', { subject: null, sub: 'b' }, 'b'],
    ['an empty text is no name', { subject: '', user: { sub: '' }, user_id: 'b' }, 'b'],
  ])('%s', (_name, answer, subject) => expect(read(answer)?.subject).toBe(subject));

  test('is of the issuer that it says, or else of the default issuer', () => {
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
    ['nobody', {}],
    ['a number', { sub: 7 }],
    ['a number where the first name is', { subject: 7, sub: 'b' }],
    ['only empty names', { subject: '', sub: '' }],
    ['a list', { sub: ['b'] }],
    ['a name without end', { sub: 'b'.repeat(1_001) }],
    ['a name with a control character', { sub: 'b\u0000' }],
    ['a name with half a character', { sub: 'b\ud800' }],
    ['a name from a prototype', JSON.parse('{"__proto__": {"sub": "b"}}')],
    ['an issuer that is no text', { sub: 'b', iss: 7 }],
    ['an issuer without a name', { sub: 'b', iss: '' }],
    ['an issuer with a control character', { sub: 'b', iss: 'https://idp.example\n' }],
    ['an issuer without end', { sub: 'b', claims: { iss: `https://${'a'.repeat(1_000)}` } }],
    ['an end that is no number', { sub: 'b', exp: 'never' }],
    ['claims that are no object', { sub: 'b', claims: 'all' }],
    ['a user that is none', { sub: 'b', user: [] }],
    ['validity in words', { sub: 'b', valid: 'false' }],
    ['activity in numbers', { sub: 'b', active: 0 }],
    ['a list around it all', [{ sub: 'b' }]],
    ['null', null],
  ])('is nobody for certain: %s', (_name, answer) => expect(() => read(answer)).toThrow());

  test.each([
    ['401', {}, 401],
    ['403', {}, 403],
    ['400', {}, 400],
    ['404', {}, 404],
    ['422', {}, 422],
    ['valid: false', { valid: false, sub: 'a' }, 200],
    ['active: false', { active: false }, 200],
  ])('is refused for certain: %s', (_name, answer, status) => expect(read(answer, status)).toBeUndefined());

  test.each([409, 429, 500, 503, 302])('is unknown after %s', (status) =>
    expect(() => read({ sub: 'a' }, status)).toThrow(String(status)),
  );
});

describe('what an authorize answer allows', () => {
  const allowed = (body: unknown, status = 200) => readAllowed({ status, text: JSON.stringify(body) });

  test('is what it says', () => {
    expect(allowed({ allowed: true })).toBe(true);
    expect(allowed({ allowed: false })).toBe(false);
    expect(allowed({ allowed: true }, 403)).toBe(false);
    expect(allowed({ allowed: true }, 401)).toBe(false);
    for (const status of [400, 404, 422]) expect(allowed({ allowed: true }, status)).toBe(false);
  });

  test.each([{}, { allowed: 'true' }, { allowed: 1 }, [], 'true', null])('is unknown: %j', (body) =>
    expect(() => allowed(body)).toThrow(),
  );
  test('is unknown after a failure', () => expect(() => allowed({ allowed: true }, 500)).toThrow('500'));
});
