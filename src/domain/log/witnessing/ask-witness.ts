import { messageOf } from '../../errors.ts';
import { isSameHash } from '../merkle/hashing.ts';
import { type Checkpoint, parseCheckpoint } from '../notes/checkpoint.ts';
import { verifyNote, verifySignature } from '../notes/cosignature.ts';
import { parseNote, parseSignature } from '../notes/signed-note.ts';
import type { Vkey } from '../notes/vkey.ts';
import { formatAddCheckpoint } from './add-checkpoint.ts';
import { originHash } from './witness.ts';

interface WitnessAnswer {
  readonly status: number;
  readonly body: string;
}

/** Calls witnesses over HTTP, each call with a bounded time and size. Rejects if no answer comes. */
export interface WitnessClient {
  post(url: string, body: string): Promise<WitnessAnswer>;
  get(url: string): Promise<WitnessAnswer>;
}

/** One address of the policy, with the keys whose cosignatures it gives. */
export interface AskedWitness {
  /** The submission prefix, without a slash at its end. */
  readonly url: string;
  readonly keys: readonly Vkey[];
  /** Their names in the policy. */
  readonly names: readonly string[];
}

/** Why there is no cosignature. `sentences.ts` of the contract says it in words. */
export type WitnessProblem =
  | Contradiction
  | { readonly code: 'unreachable' | 'refused'; readonly detail: string }
  | {
      readonly code:
        | 'unknown_log'
        | 'untrusted'
        | 'no_cosignature'
        | 'wrong_cosignature'
        | 'backdated'
        | 'overtaken';
    };

/**
 * The witness says that it has cosigned a larger tree than this store has, or one that the tree of this store does not extend.
 * It is proven by a checkpoint that the log has signed.
 */
export interface Contradiction {
  readonly code: 'larger_tree' | 'other_tree';
  readonly size: number;
  readonly isProven: boolean;
}

export function isContradiction(problem: { readonly code: string }): problem is Contradiction {
  return problem.code === 'larger_tree' || problem.code === 'other_tree';
}

export interface Cosigned {
  readonly keys: readonly Vkey[];
  readonly lines: readonly string[];
}

/** A checkpoint to cosign, and what this store knows of its log. */
export interface Proposal {
  /** Signed by the log. */
  readonly note: string;
  readonly checkpoint: Checkpoint;
  /** The keys that sign for the log. */
  readonly logKeys: readonly Vkey[];
  readonly consistency: (oldSize: number) => Promise<readonly Uint8Array[]>;
  /** The tree as it is stored now. Another process may have grown it after the checkpoint. */
  readonly tree: StoredTree;
  /** Asked before each request. */
  readonly mayAsk: () => boolean;
  readonly now: () => Date;
}

export interface StoredTree {
  size(): Promise<number>;
  /** @param size at most `size()`. */
  root(size: number): Promise<Uint8Array>;
}

/** A request, a second one with the size that the witness has named, and one more if that has changed meanwhile. */
const mostRequests = 3;
/** A time further back than clocks are apart would prove that the log had something before it existed. */
const mostBackMs = 86_400_000;
const detailLength = 200;

/**
 * Asks a witness for cosignatures.
 * @param knownSize the size that it has cosigned last, as far as known.
 * @returns what is wrong, if it gives none.
 */
export async function askWitness(
  witness: AskedWitness,
  proposal: Proposal,
  knownSize: number,
  client: WitnessClient,
): Promise<Cosigned | WitnessProblem> {
  const { note, checkpoint, consistency, tree, mayAsk, now } = proposal;
  let oldSize = Math.min(knownSize, checkpoint.size);
  for (let request = 1; ; request += 1) {
    const proof = await consistency(oldSize);
    const body = formatAddCheckpoint({ oldSize, proof, note });
    if (!mayAsk()) return { code: 'overtaken' };
    const answer = await answerOf(() => client.post(`${witness.url}/add-checkpoint`, body));
    if ('code' in answer) return answer;
    if (answer.status === 200) return cosignaturesOf(answer.body, note, witness, now().getTime());
    if (answer.status === 422) return await contradiction(witness, proposal, oldSize, client);
    const size = answer.status === 409 ? sizeOf(answer.body) : undefined;
    if (size === undefined || size === oldSize) return problemOf(answer);
    if (size > checkpoint.size) {
      if (size <= (await tree.size())) return { code: 'overtaken' };
      return await largerTree(witness, proposal, size, client);
    }
    if (request === mostRequests) return problemOf(answer);
    oldSize = size;
  }
}

export function isCosigned(result: Cosigned | WitnessProblem): result is Cosigned {
  return 'lines' in result;
}

/** What a store knows of its own log. */
export interface OwnLog {
  readonly origin: string;
  readonly logKeys: readonly Vkey[];
  readonly tree: StoredTree;
  /** The note of the last published checkpoint. */
  readonly published: string | undefined;
}

/** The size of a published checkpoint if the witness has cosigned it, otherwise 0. */
export function sizeCosignedBy({ keys }: AskedWitness, published: string | undefined): number {
  if (published === undefined) return 0;
  const { text, signatures } = parseNote(published);
  const isOwn = keys.some((key) =>
    signatures.some(({ name, keyId }) => name === key.name && keyId === key.keyId),
  );
  return isOwn ? parseCheckpoint(text).size : 0;
}

/** A witness that has cosigned a tree of this size. `agrees`: it is a part of the tree of this store. `fits`: it is not larger. */
export interface Compared {
  readonly code: 'agrees' | 'fits';
  readonly size: number;
}

export function isCompared(result: { readonly code: string }): result is Compared {
  return result.code === 'agrees' || result.code === 'fits';
}

/**
 * Compares what a witness has cosigned with the tree of this store, without signing anything.
 * @returns `silent`: the witness has not told. Or what is wrong.
 */
export async function compareWithWitness(
  witness: AskedWitness,
  { origin, logKeys, tree, published }: OwnLog,
  client: WitnessClient,
): Promise<WitnessProblem | Compared | { readonly code: 'silent' }> {
  const answer = await answerOf(() => client.get(`${witness.url}/${originHash(origin)}/checkpoint`));
  if ('code' in answer) return answer;
  const shown = answer.status === 200 ? ownCheckpoint(answer.body, origin, logKeys) : undefined;
  if (shown) return (await disagreement(shown, tree)) ?? { code: 'agrees', size: shown.size };
  // It need not serve checkpoints. Its size is in its answer to one that it may already have.
  if (published === undefined) return { code: 'silent' };
  const oldSize = sizeCosignedBy(witness, published);
  const body = formatAddCheckpoint({ oldSize, proof: [], note: published });
  const told = await answerOf(() => client.post(`${witness.url}/add-checkpoint`, body));
  if ('code' in told) return told;
  if (told.status === 200) return { code: 'fits', size: parseCheckpoint(parseNote(published).text).size };
  const size = told.status === 409 ? sizeOf(told.body) : undefined;
  if (size === undefined) return problemOf(told);
  return size > (await tree.size()) ? { code: 'larger_tree', size, isProven: false } : { code: 'fits', size };
}

async function disagreement(shown: Checkpoint, tree: StoredTree): Promise<WitnessProblem | undefined> {
  const { size } = shown;
  if (size > (await tree.size())) return { code: 'larger_tree', size, isProven: true };
  return isSameHash(shown.root, await tree.root(size))
    ? undefined
    : { code: 'other_tree', size, isProven: true };
}

async function answerOf(call: () => Promise<WitnessAnswer>): Promise<WitnessAnswer | WitnessProblem> {
  try {
    return await call();
  } catch (error) {
    const { cause } = error as Error;
    return { code: 'unreachable', detail: messageOf(cause ?? error).slice(0, detailLength) };
  }
}

function problemOf({ status, body }: WitnessAnswer): WitnessProblem {
  if (status === 404) return { code: 'unknown_log' };
  if (status === 403) return { code: 'untrusted' };
  return { code: 'refused', detail: `${status} ${body.slice(0, detailLength).trim()}`.trim() };
}

function sizeOf(body: string): number | undefined {
  const size = /^(?:0|[1-9]\d{0,15})\n$/.test(body) ? Number(body) : undefined;
  return size !== undefined && Number.isSafeInteger(size) ? size : undefined;
}

/** The valid cosignatures of an answer. Lines that cannot be read and lines of unknown keys are ignored. */
function cosignaturesOf(
  body: string,
  note: string,
  witness: AskedWitness,
  now: number,
): Cosigned | WitnessProblem {
  const { text } = parseNote(note);
  const keys: Vkey[] = [];
  const lines: string[] = [];
  let problem: WitnessProblem = { code: 'no_cosignature' };
  for (const line of body.split('\n')) {
    const signature = orUndefined(() => parseSignature(line));
    const key = witness.keys.find(({ name, keyId }) => name === signature?.name && keyId === signature.keyId);
    if (!signature || !key || keys.includes(key)) continue;
    const verified = orUndefined(() => verifySignature(key, text, signature));
    // A cosignature without a time does not say that this is the largest tree.
    if (!verified?.at) problem = { code: 'wrong_cosignature' };
    else if (verified.at * 1_000 < now - mostBackMs) problem = { code: 'backdated' };
    else {
      keys.push(key);
      lines.push(line);
    }
  }
  return lines.length > 0 ? { keys, lines } : problem;
}

/** The witness names a larger tree than this store has. A checkpoint that the log has signed proves it. */
async function largerTree(
  witness: AskedWitness,
  { checkpoint: { origin }, logKeys }: Proposal,
  size: number,
  client: WitnessClient,
): Promise<WitnessProblem> {
  const shown = await shownBy(witness, origin, logKeys, client);
  return { code: 'larger_tree', size, isProven: shown !== undefined && shown.size >= size };
}

/** The witness says that the proof is wrong. Either its tree is another one, or it is mistaken. */
async function contradiction(
  witness: AskedWitness,
  { checkpoint: { origin }, logKeys, tree }: Proposal,
  size: number,
  client: WitnessClient,
): Promise<WitnessProblem> {
  const shown = await shownBy(witness, origin, logKeys, client);
  if (!shown) return { code: 'other_tree', size, isProven: false };
  const refusal = {
    code: 'refused',
    detail: `422, although its checkpoint of size ${shown.size} agrees`,
  } as const;
  return (await disagreement(shown, tree)) ?? refusal;
}

async function shownBy(
  { url }: AskedWitness,
  origin: string,
  logKeys: readonly Vkey[],
  client: WitnessClient,
): Promise<Checkpoint | undefined> {
  const answer = await answerOf(() => client.get(`${url}/${originHash(origin)}/checkpoint`));
  return 'status' in answer && answer.status === 200
    ? ownCheckpoint(answer.body, origin, logKeys)
    : undefined;
}

/** A checkpoint that this log has signed. */
function ownCheckpoint(text: string, origin: string, logKeys: readonly Vkey[]): Checkpoint | undefined {
  return orUndefined(() => {
    const note = parseNote(text);
    verifyNote(note, logKeys);
    const checkpoint = parseCheckpoint(note.text);
    return checkpoint.origin === origin ? checkpoint : undefined;
  });
}

function orUndefined<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
