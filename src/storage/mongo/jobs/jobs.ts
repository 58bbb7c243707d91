import type { Collection, Filter } from 'mongodb';
import type { Job, JobOutcome, JobOwner, JobRef, JobStore, NewJob } from '../../../domain/jobs/jobs.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import type { CollectionIndexes } from '../indexes.ts';

export interface JobDocument extends Omit<Job, 'id'> {
  readonly _id: string;
  /** Who works on it, while it is `running`. */
  readonly runner: string | null;
  readonly heardAt: number | null;
}

type Claim = Parameters<JobStore['claim']>[1];
type Report = Parameters<JobStore['report']>[1];

export const jobIndexes: CollectionIndexes = {
  collection: 'jobs',
  indexes: [
    { name: 'state', key: { state: 1, createdAt: 1, _id: 1 } },
    { name: 'owner', key: { 'owner.issuer': 1, 'owner.subject': 1, state: 1 } },
    { name: 'expiry', key: { expiresAt: 1 } },
  ],
};

const noEnd = { failure: null, finishedAt: null, expiresAt: null };

/** Jobs as documents. Each step of a job is one update that says in its filter whose it has to be. */
export class MongoJobs implements JobStore {
  readonly #jobs: Collection<JobDocument>;

  constructor(database: Database) {
    this.#jobs = database.collection<JobDocument>('jobs');
  }

  async add({ id, kind, owner, request, createdAt }: NewJob): Promise<void> {
    const { issuer, subject } = owner;
    await translated(() =>
      this.#jobs.insertOne({
        _id: id,
        kind,
        owner: { issuer, subject },
        state: 'waiting',
        request,
        progress: null,
        attempts: 0,
        createdAt,
        ...noEnd,
        runner: null,
        heardAt: null,
      }),
    );
  }

  async get(id: string): Promise<Job | undefined> {
    const found = await translated(() => this.#jobs.findOne({ _id: id }));
    return found ? jobOf(found) : undefined;
  }

  async countUnfinished({ issuer, subject }: JobOwner): Promise<number> {
    const state = { $in: ['waiting', 'running'] } as const;
    return await translated(() =>
      this.#jobs.countDocuments({ 'owner.issuer': issuer, 'owner.subject': subject, state }),
    );
  }

  async claim(id: string, { runner, now, silentSince }: Claim): Promise<Job | undefined> {
    const isFree: Filter<JobDocument>[] = [
      { state: 'waiting' },
      { state: 'running', heardAt: { $lt: silentSince } },
    ];
    const claimed = await translated(() =>
      this.#jobs.findOneAndUpdate(
        { _id: id, $or: isFree },
        { $set: { state: 'running', runner, heardAt: now }, $inc: { attempts: 1 } },
        { returnDocument: 'after' },
      ),
    );
    return claimed ? jobOf(claimed) : undefined;
  }

  async report(id: string, { runner, now, progress }: Report): Promise<boolean> {
    return await this.#change(id, runner, { progress, heardAt: now });
  }

  async finish(id: string, { runner, outcome }: { runner: string; outcome: JobOutcome }): Promise<boolean> {
    return await this.#change(id, runner, { ...noEnd, ...outcome, runner: null });
  }

  /** Changes a job that is this runner's. */
  async #change(id: string, runner: string, change: Partial<JobDocument>): Promise<boolean> {
    const mine: Filter<JobDocument> = { _id: id, runner, state: 'running' };
    return (await translated(() => this.#jobs.updateOne(mine, { $set: change }))).matchedCount === 1;
  }

  async remove(id: string): Promise<boolean> {
    return (await translated(() => this.#jobs.deleteOne({ _id: id }))).deletedCount === 1;
  }

  async due(silentSince: number, limit: number): Promise<JobRef[]> {
    const waiting = await this.#oldest({ state: 'waiting' }, limit);
    const silent = await this.#oldest({ state: 'running', heardAt: { $lt: silentSince } }, limit);
    return [...waiting, ...silent]
      .sort((one, other) => one.createdAt - other.createdAt || (one._id < other._id ? -1 : 1))
      .slice(0, limit)
      .map(ref);
  }

  async #oldest(filter: Filter<JobDocument>, limit: number): Promise<JobDocument[]> {
    return await translated(() =>
      this.#jobs
        .find(filter, { projection: { kind: 1, createdAt: 1 } })
        .sort({ createdAt: 1, _id: 1 })
        .limit(limit)
        .toArray(),
    );
  }

  async expired(now: number, limit: number): Promise<JobRef[]> {
    const found = await translated(() =>
      this.#jobs
        .find({ expiresAt: { $lte: now } }, { projection: { kind: 1 } })
        .limit(limit)
        .toArray(),
    );
    return found.map(ref);
  }
}

function ref({ _id, kind }: Pick<JobDocument, '_id' | 'kind'>): JobRef {
  return { id: _id, kind };
}

export function jobOf({ _id, runner: _runner, heardAt: _heardAt, ...rest }: JobDocument): Job {
  return { id: _id, ...rest };
}
