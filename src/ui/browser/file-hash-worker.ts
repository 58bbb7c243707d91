import { createBLAKE3 } from 'hash-wasm';
import type { Hashing } from './file-hash.ts';

const chunkBytes = 4_194_304;
/** CIDv1, raw, BLAKE3, 32 bytes. */
const head = '01551e20';
const base32 = 'abcdefghijklmnopqrstuvwxyz234567';
const cidLength = 58;

addEventListener('message', ({ data }: MessageEvent<File>) => {
  hash(data).catch((error) => tell({ problem: String(error?.message ?? error) }));
});

async function hash(file: File): Promise<void> {
  const blake3 = await createBLAKE3();
  for (let at = 0; at < file.size; at += chunkBytes) {
    blake3.update(new Uint8Array(await file.slice(at, at + chunkBytes).arrayBuffer()));
    tell({ read: Math.min(at + chunkBytes, file.size) });
  }
  tell({ cid: cidOfHex(head + blake3.digest('hex')) });
}

/** Multibase base32 of 36 bytes, which are 288 bits and get two more. */
function cidOfHex(hex: string): string {
  const digits = (BigInt(`0x${hex}`) << 2n).toString(32).padStart(cidLength, '0');
  return `b${digits.replaceAll(/./g, (digit) => base32[Number.parseInt(digit, 32)] ?? '')}`;
}

function tell(message: Hashing): void {
  postMessage(message);
}
