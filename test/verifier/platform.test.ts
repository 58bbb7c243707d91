import * as node from 'node:crypto';
import * as path from 'node:path';
import { blake3UrlSafeBase64 } from '@napi-rs/blake-hash';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as blake from '../../src/verifier/platform/blake3.ts';
import { Buffer as OwnBuffer } from '../../src/verifier/platform/buffer.ts';
import * as own from '../../src/verifier/platform/crypto.ts';
import { DisposableWork } from '../../src/verifier/platform/older-browsers.ts';
import * as paths from '../../src/verifier/platform/path.ts';

// What stands in for Node.js in the verifier gives the same answers as Node.js.

const curves = { 'P-256': 'sha256', 'P-384': 'sha384', secp256k1: 'sha256' } as const;
const message = Buffer.from('a message');
const bytes = fc.uint8Array({ maxLength: 300 });

function signedBy(kind: string) {
  const hash = Object.hasOwn(curves, kind) ? curves[kind as keyof typeof curves] : null;
  const pair =
    kind === 'Ed25519'
      ? node.generateKeyPairSync('ed25519')
      : node.generateKeyPairSync('ec', { namedCurve: kind });
  const sign = (dsaEncoding: 'der' | 'ieee-p1363') =>
    node.sign(hash, message, { key: pair.privateKey, dsaEncoding });
  return { ...pair, hash, sign };
}

/** As the domain calls it. */
function verified(...[hash, data, key, signature]: Parameters<typeof own.verify>): Promise<boolean> {
  return new Promise((resolve, reject) =>
    own.verify(hash, data, key, signature, (error, isSigned) => (error ? reject(error) : resolve(isSigned))),
  );
}

describe('signatures', () => {
  test.each(['Ed25519', ...Object.keys(curves)])('by %s keys are verified, also natively', async (kind) => {
    const { publicKey, hash, sign } = signedBy(kind);
    const key = own.createPublicKey({ key: publicKey.export({ format: 'jwk' }) });
    expect(key.export({ format: 'jwk' })).toEqual(publicKey.export({ format: 'jwk' }));
    for (const dsaEncoding of ['der', 'ieee-p1363'] as const) {
      const signature = sign(dsaEncoding);
      const given = { key, dsaEncoding };
      const altered = Uint8Array.from(signature, (byte, at) => (at === 20 ? byte ^ 1 : byte));
      const outcomes: boolean[] = [];
      for (const one of [signature, altered, signature.subarray(1), new Uint8Array(), new Uint8Array(64)])
        outcomes.push(
          own.verify(hash, message, given, one) === true,
          await verified(hash, message, given, one),
        );
      outcomes.push(await verified(hash, Buffer.from('another'), given, signature));
      expect(outcomes).toEqual([true, true, ...Array(9).fill(false)]);
    }
  });

  test('by ML-DSA-44 keys are verified', () => {
    const { publicKey, privateKey } = node.generateKeyPairSync('ml-dsa-44');
    const key = own.createPublicKey({ key: publicKey.export({ format: 'der', type: 'spki' }) });
    const signature = node.sign(null, message, privateKey);
    expect(own.verify(null, message, key, signature)).toBe(true);
    signature[9] = (signature[9] ?? 0) ^ 1;
    expect(own.verify(null, message, key, signature)).toBe(false);
  });

  test('with a large s are as valid as with a small one', () => {
    const { publicKey, sign } = signedBy('secp256k1');
    const key = own.createPublicKey({ key: publicKey.export({ format: 'jwk' }) });
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const signature = sign('ieee-p1363');
    const s = BigInt(`0x${signature.subarray(32).toString('hex')}`);
    const other = Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex');
    const twin = Buffer.concat([signature.subarray(0, 32), other]);
    for (const one of [signature, twin]) {
      expect(node.verify('sha256', message, { key: publicKey, dsaEncoding: 'ieee-p1363' }, one)).toBe(true);
      expect(own.verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, one)).toBe(true);
    }
  });

  test.each(['P-256', 'P-384', 'secp256k1'])('need a point on %s', (kind) => {
    const jwk = signedBy(kind).publicKey.export({ format: 'jwk' });
    const y = `${jwk.y?.startsWith('A') ? 'B' : 'A'}${jwk.y?.slice(1)}`;
    expect(() => node.createPublicKey({ key: { ...jwk, y }, format: 'jwk' })).toThrow();
    expect(() => own.createPublicKey({ key: { ...jwk, y } })).toThrow();
  });
});

test('hashes are those of Node.js', () => {
  fc.assert(
    fc.property(bytes, (some) => {
      for (const name of ['md5', 'sha1', 'sha256', 'sha512'] as const) {
        expect(own.hash(name, some)).toBe(node.hash(name, some));
        const half = some.length >> 1;
        const state = own.createHash(name).update(some.subarray(0, half)).update(some.subarray(half));
        expect(state.digest('base64url')).toBe(node.hash(name, some, 'base64url'));
      }
    }),
  );
});

test.each(['JavaScript', 'WebAssembly'])(
  'BLAKE3 of %s is that of Node.js, also of several hashers in turn',
  async (by) => {
    if (by === 'WebAssembly') await blake.prepareBlake3();
    const slices = fc.array(fc.tuple(fc.nat(2), bytes), { maxLength: 20 });
    fc.assert(
      fc.property(slices, (all) => {
        const hashers = [0, 1, 2].map(() => ({
          hasher: new blake.Blake3Hasher(),
          taken: [] as Uint8Array[],
        }));
        for (const [at, slice] of all) {
          hashers[at]?.hasher.update(slice);
          hashers[at]?.taken.push(slice);
          expect(blake.blake3UrlSafeBase64(slice)).toBe(blake3UrlSafeBase64(Buffer.from(slice)));
        }
        for (const { hasher, taken } of hashers)
          expect(`${Buffer.from(hasher.digestBuffer()).toString('base64url')}=`).toBe(
            blake3UrlSafeBase64(Buffer.concat(taken)),
          );
      }),
    );
  },
);

describe('buffers', () => {
  const encodings = ['utf8', 'hex', 'base64', 'base64url', 'latin1'] as const;

  test('give the texts that those of Node.js give', () => {
    fc.assert(
      fc.property(bytes, fc.nat(300), fc.nat(300), (some, start, end) => {
        for (const encoding of encodings) {
          const [ours, theirs] = [OwnBuffer.from(some), Buffer.from(some)];
          expect(ours.toString(encoding)).toBe(theirs.toString(encoding));
          if (start <= end)
            expect(ours.toString(encoding, start, end)).toBe(theirs.toString(encoding, start, end));
        }
      }),
    );
  });

  test('read texts as those of Node.js do', () => {
    const any = fc.string({ unit: 'binary' });
    const read = (text: fc.Arbitrary<string>, all: readonly (typeof encodings)[number][]) =>
      fc.assert(
        fc.property(text, fc.constantFrom(...all), (some, encoding) => {
          expect(OwnBuffer.from(some, encoding).toString('hex')).toBe(
            Buffer.from(some, encoding).toString('hex'),
          );
          expect(OwnBuffer.byteLength(some)).toBe(Buffer.byteLength(some));
        }),
      );
    read(any, ['utf8', 'latin1']);
    // Of other characters Node.js makes something, which the domain refuses because it gives another text.
    read(fc.oneof(fc.base64String(), fc.string()), ['base64', 'base64url']);
    read(fc.stringMatching(/^[\da-fA-F]*$/), ['hex']);
  });
});

test('paths have the names and endings that Node.js finds', () => {
  for (const one of ['a.json', 'keys/a.jwk', '.json', 'a', 'a.b.car', 'a.', 'keys/.x', 'x y (2).ndjson'])
    expect([paths.basename(one), paths.extname(one)]).toEqual([path.basename(one), path.extname(one)]);
});

test('work is undone in the opposite order, by the stack that has it last', async () => {
  const done: string[] = [];
  const stack = new DisposableWork();
  stack.defer(() => void done.push('first'));
  stack.use({ [Symbol.asyncDispose]: async () => void done.push('second') });
  const moved = stack.move();
  await stack.disposeAsync();
  expect(done).toEqual([]);
  await moved.disposeAsync();
  await moved.disposeAsync();
  expect(done).toEqual(['second', 'first']);
});
