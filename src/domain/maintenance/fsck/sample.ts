import { ServiceError } from '../../errors.ts';
import { blake3Digest } from '../../integrity/identifiers/hashing.ts';
import type { IsWanted } from '../contents.ts';

export interface Sample {
  /** Above 0, up to 1. */
  readonly share: number;
  readonly isWanted: IsWanted;
}

/** Selects a share of all digests, spread evenly. The same seed selects the same ones. */
export function sampleOf(share: number, seed: string): Sample {
  if (share >= 1) return { share: 1, isWanted: () => true };
  const prefix = Buffer.from(`${seed} `);
  const bound = share * 2 ** 32;
  const isWanted = (digest: Uint8Array) =>
    Buffer.from(blake3Digest(Buffer.concat([prefix, digest]))).readUInt32BE() < bound;
  return { share, isWanted };
}

/** Reads a share such as `5%` or `0.1 %`. @throws ServiceError `invalid_request`. */
export function parseShare(text: string): number {
  const [, percent] = /^(\d{1,3}(?:\.\d+)?)\s*%$/.exec(text) ?? [];
  const share = Number(percent) / 100;
  if (share > 0 && share <= 1) return share;
  throw new ServiceError(
    'invalid_request',
    `"${text}" is not a share. Write a percentage above 0% and up to 100%, such as 5%.`,
  );
}
