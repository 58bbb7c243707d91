import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { everythingVisible } from '../../src/domain/access/visibility.ts';
import { reachEverything } from '../../src/domain/integrity/access/content-reach.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { gather } from '../../src/domain/integrity/report/gather.ts';
import type { Signature } from '../../src/domain/integrity/signatures/signatures.ts';
import { row } from '../builders/rows.ts';
import { did } from '../builders/statements.ts';
import { openTemporary } from '../storage/temporary-folder.ts';

const thing = cidUrn(cidOf(codecs.raw, 'thing'));
const scope = { graphId: null, visibility: everythingVisible };

let store: Awaited<ReturnType<typeof openTemporary>>;
beforeEach(async () => {
  store = await openTemporary();
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
});

function about(text: string) {
  const references = [{ role: 'subject', identifier: thing }];
  return row(text, { kind: 'MetadataRegistration', references });
}

async function gathered(signaturesOf: (statement: string) => readonly Signature[] = () => []) {
  let [reading, most] = [0, 0];
  const form: typeof store.statementIndex.form = async (...asked) => {
    reading += 1;
    most = Math.max(most, reading);
    const found = await store.statementIndex.form(...asked);
    reading -= 1;
    return found;
  };
  const ports = {
    ...store,
    statementIndex: { ...store.statementIndex, form },
    reach: reachEverything,
    trusting: {
      signatures: {
        // None of the statements carries a credential of this service.
        among: async (index: string, ids: readonly unknown[]) =>
          ids.map(String).map((id) => (index === 'byRegistration' ? [] : signaturesOf(id))),
      },
      retractions: { among: async (_: unknown, ids: readonly unknown[]) => ids.map(() => []) },
      proofsIn: async () => [],
      registrarOf: async () => null,
      standings: async () => new Map(),
      ownDids: new Set<string>(),
      now: () => new Date(),
    },
    disputed: new Set<string>(),
    names: async () => new Map(),
    contents: async () => new Map(),
  };
  return { ...(await gather(ports, [thing], scope)), most };
}

describe('gathering for a report', () => {
  test('keeps 32 MiB of statements in memory at most, and counts the others', async () => {
    const large = Array.from({ length: 40 }, (_, at) => about(JSON.stringify([at, 'x'.repeat(1 << 20)])));
    await store.statements.putMany(large, null);
    const { rows, statements, unreadStatements } = await gathered();
    expect([rows.length, statements.length, unreadStatements]).toEqual([32, 32, 8]);
  });

  test('reads few statements with signatures at once', async () => {
    const carrier = about('{"credential": {"credentialStatus": []}}');
    const signed = Array.from({ length: 60 }, (_, at) => about(JSON.stringify([at])));
    await store.statements.putMany([carrier, ...signed], null);
    const { statements, most } = await gathered((about) => [
      {
        id: about,
        about,
        carrier: carrier.jcsCid.text,
        kind: 'credential',
        signer: did,
        result: 'ok',
        reason: null,
        credentialId: 'urn:uuid:0',
        credentialCid: 'baga',
      } as unknown as Signature,
    ]);
    const standings = statements.flatMap(({ signatures }) => signatures.map(({ standing }) => standing));
    expect(standings).toEqual(Array(61).fill('unknown'));
    expect(most).toBeLessThanOrEqual(16);
  });
});
