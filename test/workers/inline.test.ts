import { expect, test } from 'vitest';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { InlineIdentifier } from '../../workers/inline.ts';

const inline = new InlineIdentifier(64);
const options = { generateId: true, strict: false, reportCoverage: false };

async function isInline(statement: object): Promise<boolean> {
  const body = Buffer.from(JSON.stringify(statement));
  return 'identified' in (await inline.identify(body, [0, body.length], options));
}

const did = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';

test('usual statements are identified on the main thread', async () => {
  expect(await isInline({ '@context': ownContextUrl, '@type': 'DidRegistration', did })).toBe(true);
});

test('a statement that names many contexts goes to a thread', async () => {
  expect(await isInline({ '@context': Array(8).fill(ownContextUrl), did })).toBe(true);
  expect(await isInline({ '@context': Array(9).fill(ownContextUrl), did })).toBe(false);
  const nested = Array.from({ length: 9 }, () => ({ '@context': { p: 'urn:x:p' }, p: 'x' }));
  expect(await isInline({ '@context': ownContextUrl, did: nested })).toBe(false);
});

test('the search for uncovered places goes to a thread, unless there are few places', async () => {
  const dropped = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, at]));
  expect(await isInline({ '@context': ownContextUrl, did, ...dropped(10) })).toBe(true);
  expect(await isInline({ '@context': ownContextUrl, did, ...dropped(50) })).toBe(false);
});
