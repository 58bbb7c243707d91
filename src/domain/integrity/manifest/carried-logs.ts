import type { CheckpointChecks } from '../../log/checkpoint-checks.ts';
import { parseStatementEntry, statementEntry } from '../../log/entries.ts';
import { type HeadProof, parseHeadProof, verifyHeadProof } from '../../log/head-proof.ts';
import { hashSize, leafHash } from '../../log/merkle/hashing.ts';
import { MerkleRange } from '../../log/merkle/range.ts';
import { LogProofError, refuse } from '../../log/proof-error.ts';
import { cidIn, cidUrn, codecs, makeCid } from '../identifiers/cid.ts';
import { DigestMap } from '../identifiers/digest-map.ts';
import { DigestSet } from '../identifiers/digest-set.ts';
import type { StatementRow } from '../ports.ts';
import type { CarriedAnchor } from './anchors.ts';
import type { ManifestCarrier, ManifestForm } from './carrier.ts';
import { logLocationIn } from './log-anchors.ts';
import { type ManifestProblem, shortened } from './problem.ts';
import type { ManifestFinding } from './summary.ts';

type LoggedRow = Pick<StatementRow, 'rdfcCid' | 'jcsCid'>;

/** Recomputes the logs that a manifest says to have whole. */
export class CarriedLogs {
  readonly #form: ManifestForm;
  /** Whether there may be logs. */
  readonly #isCovering: boolean;
  /** Whether the manifest says that it has exactly what its logs have. */
  readonly #isComplete: boolean;
  /** The digest of the `jcs_cid` of each form under its id, by the digest of the id. */
  readonly #underId = new DigestMap();
  /** Digests of the `jcs_cid` of all forms. */
  readonly #forms = new DigestSet();
  /** Those that a log has. */
  readonly #logged = new DigestSet();
  /** By their proofs. */
  readonly #logs = new Map<string, CarriedLog>();
  readonly #problems: ManifestProblem[] = [];

  constructor({ form, manifest }: Pick<ManifestCarrier, 'form' | 'manifest'>) {
    this.#form = form;
    this.#isCovering = manifest.anchors !== undefined;
    this.#isComplete = manifest.isComplete;
  }

  /** Number of forms that no log has, if the manifest has logs. */
  get unlogged(): number {
    return this.#logs.size === 0 ? 0 : this.#forms.size - this.#logged.size;
  }

  /** Must be called for each verified statement, before the anchors. */
  note({ rdfcCid, jcsCid }: LoggedRow, isUnderId: boolean): void {
    if (!this.#isCovering) return;
    if (isUnderId) this.#underId.add(rdfcCid.digest, jcsCid.digest);
    this.#forms.add(jcsCid.digest);
  }

  /** Adds the range of a log that an anchor covers, if it covers one. */
  add(anchor: CarriedAnchor): void {
    try {
      this.#add(anchor);
    } catch (error) {
      if (!(error instanceof LogProofError)) throw error;
      this.#problems.push({ place: anchor.place, error });
    }
  }

  *findings(checks: CheckpointChecks): Generator<ManifestFinding> {
    const { size } = this.#logs;
    if (this.#isComplete && size === 0 && this.#problems.length === 0)
      yield fault('/complete', 'The manifest says that it is complete, and has no proof of it.');
    for (const { place, error } of this.#problems) yield fault(place, error.message);
    for (const log of this.#logs.values()) yield log.finding(checks);
    if (!this.#isComplete || size === 0) return;
    for (const digest of this.#forms)
      if (!this.#logged.has(digest))
        yield fault(
          '/complete',
          `The manifest says that it is complete, but no log has its statement ${jcsUrn(digest)}.`,
        );
  }

  #add({ place, statements, locations }: CarriedAnchor): void {
    for (const location of locations) {
      const covered = logLocationIn(location);
      if (!covered) continue;
      const { first, entries, proof } = covered;
      const log = this.#logs.getOrInsertComputed(proof, () => new CarriedLog(place, parseHeadProof(proof)));
      const end = first + statements.length + Object.keys(entries).length;
      log.begin(first, end);
      let next = 0;
      for (let index = first; index < end; index += 1) {
        const entry = entries[index];
        if (entry === undefined) this.#addStatement(log, statements[next++]);
        else this.#addEntry(log, Buffer.from(entry, 'base64'));
      }
    }
  }

  #addStatement(log: CarriedLog, statement: unknown): void {
    const id = typeof statement === 'string' ? cidIn(statement) : undefined;
    if (id?.codec !== codecs.rdfc)
      refuse('malformed', `${shortened(String(statement))} is no id of a statement.`);
    const jcsDigest = this.#underId.get(id.digest);
    if (jcsDigest) this.#append(log, statementEntry({ rdfcDigest: id.digest, jcsDigest }), jcsDigest);
    else log.lack(cidUrn(id));
  }

  /** Of one id, a JSON manifest has one form. The entry of another one has the same meaning. */
  #addEntry(log: CarriedLog, entry: Uint8Array): void {
    const said = parseStatementEntry(entry);
    if ('note' in said) {
      log.append(entry, said.note);
      return;
    }
    const { jcsDigest, rdfcDigest } = said;
    const isOtherForm = this.#form === 'json' && rdfcDigest && this.#underId.has(rdfcDigest);
    if (isOtherForm || this.#forms.has(jcsDigest)) this.#append(log, entry, jcsDigest);
    else log.lack(jcsUrn(jcsDigest));
  }

  #append(log: CarriedLog, entry: Uint8Array, jcsDigest: Uint8Array): void {
    if (this.#forms.has(jcsDigest)) this.#logged.add(jcsDigest);
    log.append(entry, jcsDigest);
  }
}

const lackingShown = 3;

/** One log while its entries are added. */
class CarriedLog {
  readonly #place: string;
  readonly #proof: HeadProof;
  readonly #range = new MerkleRange();
  readonly #statements = new DigestSet();
  readonly #notes: string[] = [];
  readonly #lacking: string[] = [];
  #leaves = new Uint8Array();

  constructor(place: string, proof: HeadProof) {
    this.#place = place;
    this.#proof = proof;
  }

  /** Announces entries. @throws LogProofError `malformed` */
  begin(first: number, end: number): void {
    const count = this.#range.size + this.#lacking.length;
    if (first !== count)
      refuse(
        'malformed',
        `The anchor begins at entry ${first}, but entry ${count} comes next. Is an anchor missing?`,
      );
    const leaves = new Uint8Array(end * hashSize);
    leaves.set(this.#leaves);
    this.#leaves = leaves;
  }

  lack(identifier: string): void {
    this.#lacking.push(identifier);
  }

  append(entry: Uint8Array, what: Uint8Array | string): void {
    const leaf = leafHash(entry);
    this.#leaves.set(leaf, this.#range.size * hashSize);
    this.#range.append(leaf);
    if (typeof what === 'string') this.#notes.push(what);
    else this.#statements.add(what);
  }

  finding(checks: CheckpointChecks): ManifestFinding {
    try {
      this.#assertWhole();
      const seen = verifyHeadProof(this.#proof, this.#range.root(), checks);
      const has = { statements: this.#statements.size, notes: this.#notes, leaves: this.#leaves };
      return { kind: 'log', log: { ...seen, ...has } };
    } catch (error) {
      if (error instanceof LogProofError) return fault(this.#place, error.message);
      throw error;
    }
  }

  #assertWhole(): void {
    const { log, size } = this.#proof;
    const lacking = this.#lacking;
    if (lacking.length > 0)
      refuse(
        'wrong_entry',
        `The manifest lacks ${lacking.length} of the ${size} entries of the log ${log}: ${lacking.slice(0, lackingShown).join(', ')}${lacking.length > lackingShown ? ', …' : ''}.`,
      );
    if (this.#range.size !== size)
      refuse(
        'wrong_size',
        `The anchors have ${this.#range.size} entries of the log ${log}, and its head has ${size}.`,
      );
  }
}

function fault(place: string, reason: string): ManifestFinding {
  return { kind: 'fault', place, code: 'invalid_proof', reason };
}

function jcsUrn(digest: Uint8Array): string {
  return cidUrn(makeCid(codecs.jcs, digest));
}
