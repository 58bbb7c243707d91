import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { returnAddress } from '../../src/domain/control-plane/return-address.ts';
import { anyCharacter } from '../builders/any-text.ts';

const own = 'https://plane.example/ui';

describe('after a login the browser goes', () => {
  test.each([
    ['/ui', own],
    ['/ui/account', `${own}/account`],
    ['/ui/lineage/bafk?direction=both#node', `${own}/lineage/bafk?direction=both#node`],
    ['https://plane.example/ui/account', `${own}/account`],
    ['/ui/a/../account', `${own}/account`],
    // As a form of a page writes a path or a Windows path.
    ['/ui/search?q=src%2Ftrace.ts', `${own}/search?q=src%2Ftrace.ts`],
    ['/ui/search?q=src%5Ctrace.ts&kind=%0A#%2F', `${own}/search?q=src%5Ctrace.ts&kind=%0A#%2F`],
  ])('to the requested page of the user interface: %s', (asked, address) => {
    expect(returnAddress(asked, own)).toBe(address);
  });

  test.each([
    [undefined],
    [''],
    ['//evil.example'],
    ['///evil.example'],
    ['/\\evil.example'],
    ['\\\\evil.example'],
    ['https://evil.example/ui'],
    ['https://plane.example@evil.example/ui'],
    ['https://plane.example:443@evil.example/ui'],
    ['https://plane.example.evil.example/ui'],
    ['https://a:b@plane.example/ui'],
    ['http://plane.example/ui'],
    ['HTTPS://plane.example/ui'],
    ['javascript:alert(1)'],
    ['data:text/html,x'],
    ['ui/account'],
    ['/%2f%2fevil.example'],
    ['/ui/%2F/evil.example'],
    ['/ui%5c@evil.example'],
    ['/%09/evil.example'],
    ['/\t/evil.example'],
    ['/\n/evil.example'],
    ['/ui/\u0000'],
    ['/ui/\u0085'],
    [' /ui'],
    ['/ui/../v1/users'],
    ['/ui/%2e%2e/v1/users'],
    ['/uix'],
    ['/v1/auth/login?provider=idp'],
    ['/ui@evil.example'],
    [`/ui/${'a'.repeat(500)}`],
    // Too long in ASCII, as it is in the cookie.
    [`/ui/${'\u20ac'.repeat(400)}`],
  ])('to the start page for any other address: %j', (asked) => {
    expect(returnAddress(asked, own)).toBe(own);
  });

  test('to a user interface on another host', () => {
    const other = 'https://console.example/app';
    expect(returnAddress('/app/agents', other)).toBe(`${other}/agents`);
    expect(returnAddress(`${other}/agents`, other)).toBe(`${other}/agents`);
    expect(returnAddress('/ui', other)).toBe(other);
    expect(returnAddress('/anything', 'https://console.example')).toBe('https://console.example/anything');
  });
});

test('no text leads outside the user interface', () => {
  const pieces = fc.constantFrom(
    '/',
    '\\\\',
    '//',
    '.',
    '..',
    '%2e',
    '%2F',
    '@',
    ':',
    '?',
    '#',
    'ui',
    'evil.example',
    'https:',
    own,
  );
  const texts = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.array(pieces, { maxLength: 12 }).map((all) => all.join('')),
    fc.array(pieces, { maxLength: 12 }).map((all) => `/ui/${all.join('')}`),
  );
  fc.assert(
    fc.property(texts, (asked) => {
      const { origin, pathname, username } = new URL(returnAddress(asked, own));
      expect({ origin, username }).toEqual({ origin: 'https://plane.example', username: '' });
      expect(pathname).toMatch(/^\/ui(?:\/|$)/);
    }),
    { numRuns: 2_000 },
  );
});
