import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import type { BlobStore, ByteRange } from '../../src/domain/integrity/ports.ts';
import type { NamedContents } from '../../src/domain/named-contents.ts';

interface Stores extends AsyncDisposable {
  readonly exportResults: NamedContents;
  readonly sealedContents: NamedContents;
  readonly blobs: BlobStore;
}

type Kind = 'exportResults' | 'sealedContents';
const kinds: readonly Kind[] = ['exportResults', 'sealedContents'];

/** What every store of named contents does. */
export function namedContentsContract(open: () => Promise<Stores>): void {
  describe.each(kinds)('named contents: %s', (kind) => {
    let stores: Stores;
    let results: NamedContents;

    beforeAll(async () => {
      stores = await open();
      results = stores[kind];
    });
    afterAll(async () => {
      await stores[Symbol.asyncDispose]();
    });

    const newName = () => `${randomUUID()}.${randomUUID()}`;

    async function bytesOf(name: string, range?: ByteRange): Promise<Buffer | undefined> {
      await using content = await results.read(name, range);
      return content && Buffer.concat(await Array.fromAsync(content.bytes));
    }

    async function committed(chunks: readonly Uint8Array[]): Promise<string> {
      const [name, staged] = [newName(), await results.stage()];
      for (const chunk of chunks) await staged.write(chunk);
      await staged.commit(name);
      return name;
    }

    test('reads what was committed, whole and in parts', async () => {
      const chunks = [randomBytes(10), randomBytes(1_500_000), randomBytes(3)];
      const all = Buffer.concat(chunks);
      const name = await committed(chunks);
      expect(all.equals((await bytesOf(name)) ?? Buffer.alloc(0))).toBe(true);
      expect(await bytesOf(name, { first: 5, last: 5 })).toEqual(all.subarray(5, 6));
      const tail = await bytesOf(name, { first: 700_000, last: all.length - 1 });
      expect(all.subarray(700_000).equals(tail ?? Buffer.alloc(0))).toBe(true);
      await using content = await results.read(name, { first: 0, last: 0 });
      expect(content?.size).toBe(all.length);
    });

    test('stores an empty content', async () => {
      expect(await bytesOf(await committed([]))).toEqual(Buffer.alloc(0));
    });

    test('shows nothing unfinished or discarded', async () => {
      const [name, staged] = [newName(), await results.stage()];
      await staged.write(randomBytes(2_000_000));
      expect(await bytesOf(name)).toBeUndefined();
      await staged.discard();
      expect(await bytesOf(name)).toBeUndefined();
      expect(await Array.fromAsync(results.names())).not.toContain(name);
    });

    test('lists names without removed contents', async () => {
      const [one, two] = [await committed([randomBytes(10)]), await committed([randomBytes(10)])];
      const listed = await Array.fromAsync(results.names());
      expect(listed).toEqual(expect.arrayContaining([one, two]));
      await results.remove(one);
      await results.remove(one);
      expect(await bytesOf(one)).toBeUndefined();
      expect(await Array.fromAsync(results.names())).not.toContain(one);
      expect(await bytesOf(two)).toHaveLength(10);
    });

    test('shows its contents to no other store', async () => {
      const bytes = randomBytes(10);
      const name = await committed([bytes]);
      for (const other of kinds.filter((one) => one !== kind)) {
        expect(await stores[other].read(name)).toBeUndefined();
        expect(await Array.fromAsync(stores[other].names())).not.toContain(name);
      }
      expect(await stores.blobs.size(cidOf(codecs.raw, bytes))).toBeUndefined();
    });
  });
}
