import { randomBytes } from 'node:crypto';
import { serviceEntry } from '../../src/domain/log/entries.ts';
import { formatHeadProof, type PublishedHead } from '../../src/domain/log/head-proof.ts';
import { inclusionProof } from '../../src/domain/log/merkle/proofs.ts';
import { blindedName } from '../../src/domain/log/names.ts';
import { formatCheckpoint } from '../../src/domain/log/notes/checkpoint.ts';
import { noWitnesses } from '../../src/domain/log/notes/policy.ts';
import type { NoteSigner } from '../../src/domain/log/notes/signing.ts';
import { formatReceipt } from '../../src/domain/log/receipt.ts';
import { freshSigner, signedBy } from './log-keys.ts';
import { MemoryLog } from './service-log.ts';

export const origin = 'cairn.example/log/v1';

export interface PublishingOptions {
  readonly log?: string;
  readonly signer?: NoteSigner;
  /** They cosign the checkpoint. */
  readonly witnesses?: readonly NoteSigner[];
  /** When all sign, in Unix seconds. */
  readonly at?: number;
  readonly nonce?: Uint8Array;
}

/** A log with these entries, whose head is one of the entries of a service log. */
export async function publishedLog(
  entries: readonly Uint8Array[],
  {
    log = 'graphs/1b4e28ba-2fa1-41d2-883f-0016d3cca427',
    signer = freshSigner(origin),
    witnesses = [],
    at = 1_795_000_000,
    nonce = randomBytes(32),
  }: PublishingOptions = {},
) {
  const own = new MemoryLog().append(entries);
  const { size, root } = own;
  const others = [1, 2, 3].map((number) => Buffer.of(1, number));
  const head = serviceEntry({ blindedName: blindedName(log, nonce), size, root });
  const service = new MemoryLog().append([...others, head, ...others]);
  const text = formatCheckpoint({
    origin: signer.vkey.name,
    size: service.size,
    root: service.root,
    extensions: [],
  });
  const checkpoint = await signedBy(text, [signer, ...witnesses], at);
  const index = others.length;
  const proof = { index, path: await inclusionProof(service, index, service.size), checkpoint };
  const published: PublishedHead = {
    ...{ log, size, tiles: own, proof: formatHeadProof({ log, nonce, size, proof }) },
    entry: async (at) => entries[at] ?? new Uint8Array(),
  };
  return {
    published,
    signer,
    nonce,
    trust: { logs: [signer.vkey], policy: noWitnesses },
    async receipt(at: number): Promise<string> {
      const entry = entries[at] ?? new Uint8Array();
      const path = await inclusionProof(own, at, size);
      return formatReceipt({ name: log, nonce, size, index: at, entry, path }, proof);
    },
  };
}
