import { type ErrorCode, ServiceError } from '../../errors.ts';
import { CheckpointChecks } from '../../log/checkpoint-checks.ts';
import type { LogTrust } from '../../log/notes/tlog-proof.ts';
import { type BlobHashRecord, cidsOfHashes, hashRecord } from '../blobs/blob-hashes.ts';
import { collectionParts } from '../blobs/referenced-blobs.ts';
import { type Cid, cidIn, cidUrn, codecs, parseCid } from '../identifiers/cid.ts';
import { DigestSet } from '../identifiers/digest-set.ts';
import { digestsHasher } from '../identifiers/hashing.ts';
import type { IdentifiedRow, StatementRow } from '../ports.ts';
import { anchoredPlace, carriedAnchors, checkAnchor } from './anchors.ts';
import { type CarriedBlob, wholeOf } from './blobs.ts';
import { CarriedLogs } from './carried-logs.ts';
import type { ManifestCarrier } from './carrier.ts';
import { type CheckedBlob, checkBlobs, checkStatements } from './check.ts';
import { type ManifestContexts, readContexts } from './contexts.ts';
import { CarriedBlobs } from './indexed/carried-blobs.ts';
import { carriedHashes } from './indexed/same-bytes.ts';
import { isProblem, placeIn, shortened } from './problem.ts';
import { ManifestReferences } from './references.ts';
import { credentialLimit, type ManifestSignatureChecking, ManifestSignatures } from './signatures.ts';
import { type ManifestFinding, type ManifestSummary, SummaryCounts } from './summary.ts';
import { type OfflineVerifying, otherForm, rowTrust } from './verified.ts';

export type { ManifestFinding, ManifestSummary } from './summary.ts';

const collectionLimit = 32 << 20;
/** More than any CID has. */
const cidBytes = 400;

/**
 * Verifies a manifest offline: recomputes the id of every statement and the hash of every blob, and follows every
 * reference. Findings are streamed. Memory grows only with the number of ids.
 * @param opening as `openCarrier` answers. Its refusal is a finding.
 */
export async function* verifyManifest(
  ports: ManifestVerification,
  opening: Promise<ManifestCarrier>,
  witness: ManifestWitness = {
    signatures: new ManifestSignatures(ports.signatures),
    rows: async () => {},
    blobs: null,
  },
): AsyncGenerator<ManifestFinding, ManifestSummary> {
  const verification = new Verification(ports, witness);
  try {
    for await (const finding of verification.findings(await opening)) yield verification.counted(finding);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message, details: [detail] = [] } = error;
    const { pointer: place = '', reason } = detail?.pointer === undefined ? { reason: message } : detail;
    yield verification.counted(fault(place, code, reason));
  }
  return verification.summary;
}

/** Receives what was verified, for example to report on it. */
export interface ManifestWitness {
  readonly signatures: ManifestSignatures;
  /** Statements with a verified id, one form of each. */
  readonly rows: (rows: readonly StatementRow[]) => Promise<void>;
  /** Intact blobs with the hashes of their bytes; null if nobody needs them. */
  readonly blobs: ((blob: CheckedBlob, hashes: BlobHashRecord) => Promise<void>) | null;
}

export interface ManifestVerification extends OfflineVerifying {
  readonly signatures: ManifestSignatureChecking;
  /** Whose logs count. */
  readonly logs: LogTrust;
}

class Verification {
  readonly #ports: ManifestVerification;
  readonly #witness: ManifestWitness;
  readonly #references = new ManifestReferences();
  #contexts: ManifestContexts | undefined;
  #logs: CarriedLogs | undefined;
  readonly #summary: SummaryCounts;
  /** Digests of the ids that do not say all that their statement says. */
  readonly #doubtful = new DigestSet();

  constructor(ports: ManifestVerification, witness: ManifestWitness) {
    this.#ports = ports;
    this.#witness = witness;
    this.#summary = new SummaryCounts(witness.signatures.knownDids);
  }

  get summary(): ManifestSummary {
    const { signatures } = this.#witness;
    return {
      ...this.#counts,
      ids: this.#counts.claimed + this.#counts.signed + this.#counts.revoked + this.#counts.retracted,
      signers: this.#summary.signers,
      logs: this.#summary.logs,
      unlogged: this.#logs?.unlogged ?? 0,
      isAsked: signatures.knownDids.size > 0,
      credentials: signatures.counts,
      contexts: this.#contexts?.world.documents.length ?? 0,
      unverifiedContexts: [...(this.#contexts?.unverified ?? [])],
    };
  }

  get #counts() {
    return this.#summary.counts;
  }

  counted(finding: ManifestFinding): ManifestFinding {
    this.#summary.add(finding);
    return finding;
  }

  async *findings(carrier: ManifestCarrier): AsyncGenerator<ManifestFinding> {
    const contexts = await readContexts(carrier.manifest, this.#ports.registry);
    this.#contexts = contexts;
    this.#logs = new CarriedLogs(carrier);
    for (const url of contexts.disproved)
      yield fault(placeIn('contexts', url), 'cid_mismatch', 'The document does not have the CID in its URL.');
    await this.#noteBlobs(carrier);
    yield* this.#statements(carrier, contexts);
    yield* this.#attached(carrier);
    yield* this.#hashes(carrier);
    yield* this.#trusts();
    yield* this.#anchors(carrier, contexts);
    for (const missing of this.#references.missing()) yield { kind: 'missing', ...missing };
    if (carrier.form === 'car') yield* this.#blocks(carrier, contexts);
  }

  async *#trusts(): AsyncGenerator<ManifestFinding> {
    const { signatures } = this.#witness;
    for await (const [statement, trust] of signatures.trusts()) {
      const isKnown =
        trust.isValid === true &&
        !this.#doubtful.has(parseCid(statement).digest) &&
        this.#summary.isKnown(trust.by);
      yield { kind: 'trust', statement, trust, isKnown };
    }
    for await (const credential of signatures.credentials()) yield { kind: 'credential', credential };
    for (const { retraction, subject, registeredBy, reason } of signatures.claimedRetractions)
      yield { kind: 'claimed_retraction', retraction, subject, registeredBy, reason };
  }

  async #noteBlobs(carrier: ManifestCarrier): Promise<void> {
    for await (const blob of carrier.allBlobs()) {
      const cid = nameOf(blob);
      if (cid) this.#references.carry(cid);
    }
  }

  async *#statements(carrier: ManifestCarrier, contexts: ManifestContexts): AsyncGenerator<ManifestFinding> {
    const ids = new DigestSet();
    const trusted = rowTrust(contexts, new Map());
    const found = checkStatements(this.#ports, carrier.manifest, contexts.world, ids);
    for await (const { keys, checked } of found) {
      const identified = checked.flatMap((one) => (isProblem(one) ? [] : [one.row]));
      await this.#witness.signatures.note(identified);
      const rows = identified.map(trusted);
      await this.#witness.rows(rows);
      const rowsInOrder = rows.values();
      for (const [at, one] of checked.entries()) {
        if (isProblem(one)) {
          const id = cidIn(keys[at] ?? '');
          if (id) this.#references.carry(id);
          yield problemFinding(one.place, one.error);
        } else {
          this.#references.carry(one.row.rdfcCid);
          const { isTrusted = false } = rowsInOrder.next().value ?? {};
          this.#counts.claimed += 1;
          this.#logs?.note(one.row, true);
          this.#statement(carrier, one.row, isTrusted, one.pointer);
        }
      }
    }
    for await (const blob of carrier.candidates(this.#ports.maxStatementBytes)) {
      const row = await otherForm(this.#ports, contexts, ids, blob);
      if (!row) continue;
      this.#logs?.note(row, false);
      this.#statement(carrier, row, trusted(row).isTrusted, blob.place);
    }
  }

  #statement(carrier: ManifestCarrier, row: IdentifiedRow, isTrusted: boolean, place: string): void {
    carrier.note(row);
    this.#references.carry(row.jcsCid);
    this.#counts.statements += 1;
    if (!row.isCovered) this.#counts.uncovered += 1;
    if (!row.isCovered || !isTrusted) this.#doubtful.add(row.rdfcCid.digest);
    for (const { identifier } of row.references)
      if (identifier.startsWith('urn:cid:')) this.#references.refer(identifier, place);
  }

  /** The list of a CAR of its blobs that nothing else names. */
  async *#attached({ manifest: { json, attachedBlobs } }: ManifestCarrier): AsyncGenerator<ManifestFinding> {
    if (!attachedBlobs) return;
    let index = 0;
    for await (const slice of json.elements(attachedBlobs)) {
      const place = placeIn('attachedBlobs', index);
      const { start, end } = slice;
      const text = Buffer.from(await json.bytes({ start, end: Math.min(end, start + cidBytes) })).toString();
      const cid = cidIn(text.slice(1, -1));
      if (cid) this.#references.refer(cidUrn(cid), place);
      else yield fault(place, 'invalid_cid', `${shortened(text)} is not a CID.`);
      index += 1;
    }
  }

  async *#hashes(carrier: ManifestCarrier): AsyncGenerator<ManifestFinding> {
    const { signatures } = this.#witness;
    const contents = new CarriedBlobs(carrier);
    for await (const checked of checkBlobs(carrier)) {
      if (isProblem(checked)) {
        yield problemFinding(checked.place, checked.error);
        continue;
      }
      if (carrier.form === 'json') this.#counts.blobs += 1;
      await this.#noteHashes(checked, contents);
      if (checked.cid.codec === codecs.hashSequence) await this.#collection(checked);
      const { blob, cid, bytes } = checked;
      if (blob.size <= credentialLimit) await signatures.noteContent(cid, bytes ?? (await wholeOf(blob)));
    }
    await signatures.noteContents({ blobs: contents, hashes: carriedHashes(contents) });
  }

  /** Every hash of a carried blob names it, so a reference by another one is no missing one. */
  async #noteHashes(checked: CheckedBlob, contents: CarriedBlobs): Promise<void> {
    const { blob, bytes } = checked;
    const { blobs, signatures } = this.#witness;
    if (!blobs && !signatures.awaitsContents && !this.#references.hasOpen) return;
    const hasher = digestsHasher(blob.size, []);
    if (bytes) hasher.update(bytes);
    else for await (const chunk of blob.bytes()) hasher.update(chunk);
    const record = hashRecord(hasher.digests(), blob.size);
    for (const text of cidsOfHashes(record)) this.#references.carry(parseCid(text));
    if (signatures.awaitsContents) contents.add(blob.slice, record);
    await blobs?.(checked, record);
  }

  async #collection({ blob, cid, bytes }: CheckedBlob): Promise<void> {
    if (blob.size > collectionLimit || !this.#references.refersTo(cid)) return;
    const parts = collectionParts(bytes ?? (await wholeOf(blob)));
    for (const part of parts) this.#references.refer(cidUrn(part), blob.place);
  }

  async *#anchors(carrier: ManifestCarrier, { world }: ManifestContexts): AsyncGenerator<ManifestFinding> {
    for await (const anchor of carriedAnchors(carrier.manifest)) {
      this.#counts.anchors += 1;
      for (const [index, statement] of anchor.statements.entries()) {
        if (typeof statement !== 'string') continue;
        const cid = cidIn(statement);
        if (cid && this.#references.carries(cid)) continue;
        const identifier = cid ? cidUrn(cid) : shortened(statement);
        yield { kind: 'missing', place: anchoredPlace(anchor.place, index), identifier };
      }
      const { problems } = await checkAnchor(this.#ports, anchor, world);
      for (const { place, error } of problems) yield problemFinding(place, error);
      this.#logs?.add(anchor);
    }
    yield* this.#logs?.findings(new CheckpointChecks(this.#ports.logs)) ?? [];
  }

  /** Reports blocks without a reference. Cairn writes none, so every changed byte is noticed. */
  async *#blocks(carrier: ManifestCarrier, { carried }: ManifestContexts): AsyncGenerator<ManifestFinding> {
    for await (const { place, cid } of carrier.blobs()) {
      const block = cid();
      if (carried.has(block.text)) continue;
      this.#counts.blobs += 1;
      if (this.#references.refersTo(block)) continue;
      yield fault(place, 'unexpected_content', 'Nothing in the manifest refers to this block.');
    }
  }
}

function fault(place: string, code: ErrorCode, reason: string): ManifestFinding {
  return { kind: 'fault', place, code, reason };
}

function problemFinding(place: string, { code, message }: ServiceError): ManifestFinding {
  return fault(place, code, message);
}

/** Undefined for an invalid CID, which is reported when the blob is hashed. */
function nameOf({ cid }: CarriedBlob): Cid | undefined {
  try {
    return cid();
  } catch {
    return undefined;
  }
}
