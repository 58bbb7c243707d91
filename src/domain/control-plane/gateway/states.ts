import { cidIn } from '../../integrity/identifiers/cid.ts';
import { hasher } from '../../integrity/identifiers/hashing.ts';
import { isObject } from '../../json/is-object.ts';
import { parseStrictJson } from '../../json/strict-json.ts';
import { assertActive, contentDigest } from './batch.ts';
import { type ExchangeReference, joinToExchanges, linked } from './joining.ts';
import type { GatewayPorts } from './ports.ts';
import type { SealedPart, StateRecord } from './runtime-records.ts';
import { insertSealed } from './sealed-contents.ts';
import { at, type Body, type Bytes, bodyOf, decoded, failAt, type SentBody } from './sent-bytes.ts';
import { indexBlobs } from './state-blobs.ts';

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

/** @returns the stored states, in order. @throws ServiceError as `assertActive`, `linked` and `insertOnce`. */
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
        isLogged: false,
      };
    },
  );
  await indexBlobs(stateBlobs, stored);
  await joinToExchanges(ports, stored, ({ id }, link) => states.update(id, { exchangeKey: null }, link));
  return stored;
}

/** The most CIDs that one attestation references. */
const mostChildren = 10_000;
const maxValues = 1_000_000;

const pointer = '/attestation';

/**
 * The CIDs that an attestation references directly: each member name and each text in its JSON that is a CID, bare or
 * after `urn:cid:`. Other media types than JSON reference nothing.
 * @throws ServiceError `invalid_json`, `too_deep`, `too_large`, `too_complex`, with a pointer into the record.
 */
function childrenOf(bytes: Uint8Array, contentType: string, maxDepth: number): string[] {
  if (!/^application\/(?:[\w.+-]+\+)?json(?:;|$)/i.test(contentType)) return [];
  const options = { maxDepth, exactNumbers: false, maxValues };
  const found = new Set<string>();
  collect(
    at(pointer, () => parseStrictJson(bytes, options)),
    found,
  );
  return [...found];
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value === 'string') add(value, found);
  else if (Array.isArray(value)) for (const item of value) collect(item, found);
  else if (isObject(value))
    for (const [name, member] of Object.entries(value)) {
      add(name, found);
      collect(member, found);
    }
}

function add(text: string, found: Set<string>): void {
  const cid = cidIn(text);
  if (cid) found.add(cid.text);
  if (found.size > mostChildren)
    failAt(
      pointer,
      'too_complex',
      `references more than ${mostChildren} CIDs. Attest large states in parts, and reference these`,
    );
}
