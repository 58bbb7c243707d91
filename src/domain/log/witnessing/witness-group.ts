import { ServiceError } from '../../errors.ts';
import type { Checkpoint } from '../notes/checkpoint.ts';
import { isMet, type Policy } from '../notes/policy.ts';
import type { HeadGuard, TreeHead, Witnessing } from '../ports.ts';
import {
  type AskedWitness,
  askWitness,
  type Contradiction,
  type Cosigned,
  compareWithWitness,
  isCompared,
  isContradiction,
  isCosigned,
  type OwnLog,
  sizeCosignedBy,
  type WitnessClient,
  type WitnessProblem,
} from './ask-witness.ts';
import { throwOtherHistory } from './other-history.ts';
import type { ReportedStanding } from './standings.ts';

export interface WitnessGroupPorts {
  readonly policy: Policy;
  readonly client: WitnessClient;
  /** Read when a head is about to be signed. */
  readonly ownLog: (origin: string) => Promise<OwnLog>;
  /** Hears of each answer of a witness. */
  readonly report: (standing: ReportedStanding) => Promise<void>;
  /** Whether no other process asks for as long as an answer takes. Otherwise both would ask with what one of them knows. */
  readonly mayAsk: () => boolean;
  readonly now: () => Date;
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number;
}

/** How long other witnesses may take when there are cosignatures enough. */
const graceMs = 250;
/** A witness that failed is asked again after 1, 2, 4, … 32 s. */
const firstPauseMs = 1_000;
const longestPauseMs = 32_000;

interface Known {
  /** The size of the last tree that it has cosigned, as far as known. */
  size: number;
  /** Whether it has said since the start that it knows no other history. */
  isCompared: boolean;
  /** The other history that it knows of, until it is refuted. */
  claim: Contradiction | undefined;
  isBusy: boolean;
  failures: number;
  pauseUntil: number;
}

/** The witnesses of a policy: asks them for cosignatures, and signs nothing while one of them knows another history. */
export class WitnessGroup implements Witnessing, HeadGuard {
  readonly #ports: WitnessGroupPorts;
  readonly #known: ReadonlyMap<AskedWitness, Known>;
  #hasCompared = false;

  constructor(ports: WitnessGroupPorts) {
    this.#ports = ports;
    this.#known = new Map(
      askedWitnesses(ports.policy).map((witness) => [
        witness,
        {
          size: 0,
          isCompared: false,
          claim: undefined,
          isBusy: false,
          failures: 0,
          pauseUntil: Number.NEGATIVE_INFINITY,
        },
      ]),
    );
  }

  /**
   * Before the first signature of this process, and after a contradiction, witnesses are compared with the store. Nothing is
   * signed until so many have answered that the checkpoint could be published.
   */
  async admit({ origin }: TreeHead): Promise<void> {
    const own = await this.#ports.ownLog(origin);
    const open = this.#due().filter(([, { isCompared, claim }]) => !isCompared || claim);
    const comparing = this.#each(open, async (witness, known) => {
      const result = await compareWithWitness(witness, own, this.#ports.client);
      const isRefuted =
        result.code === 'agrees' ||
        // A store that has grown since then has other entries.
        (result.code === 'fits' && known.claim?.code === 'larger_tree' && result.size < known.claim.size);
      if (isRefuted) known.claim = undefined;
      known.isCompared ||= isCompared(result) || result.code === 'silent';
      if (isCompared(result)) known.size = result.size;
      await this.#note(witness, known, isProblem(result) ? result : undefined);
    });
    // Later, those who have not answered yet hold nobody up.
    const isDoubtful = !this.#hasCompared || !this.#isCompared() || open.some(([, { claim }]) => claim);
    if (isDoubtful) await comparing;
    else comparing.catch(() => undefined);
    this.#hasCompared = true;
    await this.#assertUncontradicted(own);
    if (this.#isCompared()) return;
    throw new ServiceError(
      'unavailable',
      'Too few witnesses answer, so no new checkpoint of the log is signed.',
    );
  }

  /** Compares all witnesses with the store again before the next signature, because another process may have asked them. */
  compareAgain(): void {
    for (const known of this.#known.values()) known.isCompared = false;
    this.#hasCompared = false;
  }

  async #assertUncontradicted({ origin, tree }: Pick<OwnLog, 'origin' | 'tree'>): Promise<void> {
    for (const [{ url }, { claim }] of this.#known)
      if (claim) throwOtherHistory(`The witness ${url} has cosigned`, origin, claim, await tree.size());
  }

  async cosigned(
    note: string,
    checkpoint: Checkpoint,
    consistency: (oldSize: number) => Promise<readonly Uint8Array[]>,
  ): Promise<string | null> {
    const { logKeys, tree, published } = await this.#ports.ownLog(checkpoint.origin);
    const { mayAsk, now } = this.#ports;
    const proposal = { note, checkpoint, consistency, logKeys, tree, mayAsk, now };
    const given: Cosigned[] = [];
    const isEnough = () =>
      isMet(
        this.#ports.policy,
        given.flatMap(({ keys }) => keys),
      );
    const enough = Promise.withResolvers<void>();
    const all = this.#each(this.#due(), async (witness, known) => {
      // Another process may have published meanwhile.
      const knownSize = Math.max(known.size, sizeCosignedBy(witness, published));
      const result = await askWitness(witness, proposal, knownSize, this.#ports.client);
      if (isCosigned(result)) {
        known.size = checkpoint.size;
        given.push(result);
        if (isEnough()) setTimeout(enough.resolve, graceMs);
      }
      await this.#note(witness, known, isCosigned(result) ? undefined : result, checkpoint.size);
    });
    // Whoever has not answered by then goes on, and is not asked again meanwhile.
    await Promise.race([all, enough.promise]);
    await this.#assertUncontradicted({ origin: checkpoint.origin, tree });
    if (!isEnough()) return null;
    return note + given.flatMap(({ lines }) => lines.map((line) => `${line}\n`)).join('');
  }

  #isCompared(): boolean {
    const compared = [...this.#known].filter(([, { isCompared }]) => isCompared);
    return isMet(
      this.#ports.policy,
      compared.flatMap(([{ keys }]) => keys),
    );
  }

  #due(): [AskedWitness, Known][] {
    const now = this.#ports.clock();
    return [...this.#known].filter(([, { isBusy, pauseUntil }]) => !isBusy && now >= pauseUntil);
  }

  async #each(
    due: readonly [AskedWitness, Known][],
    work: (witness: AskedWitness, known: Known) => Promise<void>,
  ): Promise<void> {
    await Promise.all(
      due.map(async ([witness, known]) => {
        known.isBusy = true;
        await work(witness, known).finally(() => {
          known.isBusy = false;
        });
      }),
    );
  }

  async #note(
    { url: id, names }: AskedWitness,
    known: Known,
    problem: WitnessProblem | undefined,
    size?: number,
  ): Promise<void> {
    if (problem === undefined) {
      known.failures = 0;
      known.pauseUntil = Number.NEGATIVE_INFINITY;
      await this.#ports.report({ id, names, problem: null, ...(size !== undefined && { size }) });
    } else if (problem.code !== 'overtaken') {
      known.failures += 1;
      known.pauseUntil = this.#ports.clock() + pauseAfter(known.failures);
      if (isContradiction(problem)) known.claim = problem;
      const {
        code,
        detail = null,
        size: claimed = null,
      }: { code: string; detail?: string | null; size?: number | null } = problem;
      await this.#ports.report({ id, names, problem: { code, detail, size: claimed } });
    }
  }
}

function pauseAfter(failures: number): number {
  return Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
}

/** The witnesses of a policy that can be asked. Several keys at one address are one witness. */
export function askedWitnesses({ witnesses }: Policy): AskedWitness[] {
  const byUrl = Map.groupBy(witnesses, ({ url }) => url?.replace(/\/+$/, '') ?? '');
  byUrl.delete('');
  return [...byUrl].map(([url, of]) => ({
    url,
    keys: of.map(({ vkey }) => vkey),
    names: of.map(({ name }) => Buffer.from(name, 'latin1').toString('utf8')),
  }));
}

function isProblem(result: { readonly code: string }): result is WitnessProblem {
  return !isCompared(result) && result.code !== 'silent';
}
