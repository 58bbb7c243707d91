import { type Bucket, putEach, readEach } from '../../src/domain/bucket.ts';
import { contentOf } from '../../src/domain/integrity/blobs/blob-store.ts';
import { bucketsContract } from '../contract/buckets.ts';

/** The least that a bucket has to do, such as one in an object store. */
function bucketInMemory(contents: Map<string, Buffer>): Bucket {
  const bucket: Bucket = {
    async stage() {
      const chunks: Uint8Array[] = [];
      let isFinished = false;
      let isEnded = false;
      const discard = async () => {
        isEnded = true;
      };
      return {
        async write(chunk) {
          if (isFinished) throw new Error('It is finished.');
          chunks.push(Uint8Array.from(chunk));
        },
        async finish() {
          isFinished = true;
        },
        async commit(name) {
          if (isEnded) throw new Error('It has ended.');
          const outcome = contents.has(name) ? 'known' : 'stored';
          contents.set(name, Buffer.concat(chunks));
          await discard();
          return outcome;
        },
        discard,
      };
    },
    size: async (name) => contents.get(name)?.length,
    async read(name, range) {
      const bytes = contents.get(name);
      return bytes && contentOf(range ? bytes.subarray(range.first, range.last + 1) : bytes, bytes.length);
    },
    readSmall: (names, limit) => readEach(bucket, names, limit),
    putSmall: (small) => putEach(bucket, small),
    async remove(name) {
      contents.delete(name);
    },
    async *names() {
      yield* contents.keys();
    },
  };
  return bucket;
}

bucketsContract(async () => {
  const contents = {
    blobs: new Map<string, Buffer>(),
    exportResults: new Map<string, Buffer>(),
    sealedContents: new Map<string, Buffer>(),
  };
  return {
    buckets: {
      blobs: bucketInMemory(contents.blobs),
      exportResults: bucketInMemory(contents.exportResults),
      sealedContents: bucketInMemory(contents.sealedContents),
    },
    async damage(kind, name, how) {
      const bytes = contents[kind].get(name) ?? Buffer.alloc(0);
      const changed =
        how === 'flip' ? bytes.map((byte, at) => (at === 0 ? byte ^ 1 : byte)) : bytes.subarray(0, -1);
      contents[kind].set(name, Buffer.from(changed));
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
});
