import { cidIn } from '../../integrity/identifiers/cid.ts';
import { hasher } from '../../integrity/identifiers/hashing.ts';
import { childrenOf } from './attestation.ts';
import { assertActive, contentDigest } from './batch.ts';
import { type ExchangeReference, joinToExchanges, linked } from './joining.ts';
import type { GatewayPorts } from './ports.ts';
import { insertSealed } from './sealed-insert.ts';
import type { SealedPart } from './sealed-part.ts';
import { type Body, type Bytes, bodyOf, decoded, failAt, type SentBody } from './sent-bytes.ts';
import { indexBlobs } from './state-blobs.ts';
import type { StateRecord } from './state-records.ts';

export interface SentState extends ExchangeReference {
  readonly sourceId: string;
  readonly occurredAt: number;
  readonly attestation: SentBody;
  /** The base64 of blobs by their CIDs. */
  readonly blobs: Readonly<Record<string, string>>;
}

export interface CheckedState extends Omit<SentState, 'attestation' | 'blobs'> {
  readonly contentType: string;
  readonly stateCid: string;
  readonly children: readonly string[];
  readonly bytes: readonly [attestation: Body, ...blobs: Bytes[]];
  readonly digest: string;
}

/** @throws ServiceError as `bodyOf` and `childrenOf`, and `invalid_cid`, `cid_mismatch`. */
export function checkedState(sent: SentState, { maxJsonDepth }: { maxJsonDepth: number }): CheckedState {
  const { attestation, blobs, ...content } = sent;
  const body = bodyOf(attestation, '/attestation');
  const { contentType } = body;
  const children = childrenOf(body.bytes, contentType, maxJsonDepth);
  const named = new Set(children);
  const given = Object.entries(blobs).map(([name, base64]) => blobOf(name, base64, named));
  const bytes = [body, ...given] as const;
  const digest = contentDigest({ ...content, contentType, cids: bytes.map(({ cid }) => cid.text) });
  return { ...content, contentType, stateCid: body.cid.text, children, bytes, digest };
}

function blobOf(name: string, base64: string, children: ReadonlySet<string>): Bytes {
  const cid = cidIn(name);
  const excerpt = name.slice(0, 100);
  if (!cid) return failAt('/blobs', 'invalid_cid', `"${excerpt}" is not a CID`);
  const pointer = `/blobs/${name}`;
  if (!children.has(cid.text))
    failAt(pointer, 'invalid_request', 'the attestation does not reference this blob directly');
  const bytes = decoded(base64, pointer);
  const hash = hasher(cid.multihash);
  hash.update(bytes);
  if (Buffer.compare(hash.digest(), cid.digest) !== 0)
    failAt(pointer, 'cid_mismatch', 'the bytes do not hash to this CID');
  return { bytes, cid };
}

/** @returns the stored states, in order. @throws ServiceError as `demandActive`, `linked` and `insertOnce`. */
export async function keepStates(
  ports: GatewayPorts,
  sent: readonly CheckedState[],
): Promise<readonly StateRecord[]> {
  const { states, stateBlobs, newId, now } = ports;
  await assertActive(ports, sent);
  const receivedAt = now().getTime();
  const withLinks = await linked(ports, sent);
  const stored = await insertSealed(
    states,
    ports,
    withLinks,
    ({ link, bytes: _, contentType, children, ...content }, parts): StateRecord => {
      const [attestation, ...blobs] = parts as readonly [SealedPart, ...SealedPart[]];
      return {
        ...content,
        ...link,
        id: newId(),
        attestation: { ...attestation, contentType },
        children: [...children],
        blobs,
        pack: attestation.name,
        receivedAt,
      };
    },
  );
  await indexBlobs(stateBlobs, stored);
  await joinToExchanges(ports, stored, ({ id }, link) => states.update(id, { exchangeKey: null }, link));
  return stored;
}
