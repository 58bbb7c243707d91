import { ServiceError } from '../errors.ts';

export interface ProjectPage {
  /** The cursor that leads to this page; null for the first. */
  readonly after: string | null;
  readonly ids: readonly string[];
}

/** The projects of this service from a cursor on, oldest first. */
export type ProjectPages = (after: string | null) => AsyncIterable<ProjectPage>;

type Question = (project: string) => Promise<boolean>;

/** Both in milliseconds. */
export interface SearchClocks {
  /** Of answers. */
  readonly now: () => number;
  /** Of one request. It is never set back. */
  readonly elapsed: () => number;
}

/** Limits how many questions one search sends at once. */
const questionsAtOnce = 8;
const deadlineMs = 10_000;
/** How long an answer counts. */
const keptMs = 30_000;

/**
 * Searches all projects for those on which a caller has a permission, and remembers how far it came. A search that
 * runs out of time or questions goes on where it stopped. A finished search asks only about new projects, and begins
 * anew after `keptMs`. Projects that were allowed before are asked about first.
 */
export class ProjectSearch {
  readonly #pages: ProjectPages;
  readonly #clocks: SearchClocks;
  /** When each project was allowed. */
  readonly #allowed = new Map<string, number>();
  #after: string | null = null;
  /** The projects of the page at `#after` that were asked about. */
  #asked = new Set<string>();
  /** When the last page was reached; null before. */
  #endedAt: number | null = null;
  #running: Promise<unknown> = Promise.resolve();

  constructor(pages: ProjectPages, clocks: SearchClocks) {
    this.#pages = pages;
    this.#clocks = clocks;
  }

  /** How many projects are remembered as allowed. */
  get size(): number {
    return this.#allowed.size;
  }

  /** The projects whose answers still count. */
  get allowed(): ReadonlySet<string> {
    return new Set([...this.#allowed].filter(([, at]) => this.#isFresh(at)).map(([project]) => project));
  }

  /** Whether there is any such project. @param most how many questions may be sent. */
  async some(ask: Question, most: number): Promise<'found' | 'none' | 'unfinished'> {
    const isFound = () => this.#allowed.values().some((at) => this.#isFresh(at));
    const isFinished = await this.#search(ask, most, isFound);
    return isFound() ? 'found' : isFinished ? 'none' : 'unfinished';
  }

  /** All such projects. @param most how many questions may be sent. @throws ServiceError `unavailable`. */
  async all(ask: Question, most: number): Promise<ReadonlySet<string>> {
    if (!(await this.#search(ask, most, () => false))) throwUnfinished();
    return new Set(this.#allowed.keys());
  }

  /** Concurrent requests share one search: the second goes on where the first ends. */
  async #search(ask: Question, most: number, isEnough: () => boolean): Promise<boolean> {
    const until = this.#clocks.elapsed() + deadlineMs;
    const run = this.#running
      .catch(() => undefined)
      .then(() => this.#proceed(ask, { left: most, until }, isEnough));
    this.#running = run;
    return await run;
  }

  /** @returns whether all projects were asked about. */
  async #proceed(ask: Question, bounds: { left: number; readonly until: number }, isEnough: () => boolean) {
    const askAll = async (projects: readonly string[]): Promise<boolean> => {
      for (let at = 0; at < projects.length && !isEnough(); ) {
        const batch = projects.slice(at, at + Math.min(questionsAtOnce, bounds.left));
        if (batch.length === 0 || this.#clocks.elapsed() > bounds.until) return false;
        bounds.left -= batch.length;
        await this.#askAbout(batch, ask);
        at += batch.length;
      }
      return true;
    };
    const old = [...this.#allowed].filter(([, at]) => !this.#isFresh(at)).map(([project]) => project);
    if (!(await askAll(old))) return false;
    if (this.#endedAt !== null && !this.#isFresh(this.#endedAt)) this.#restart();
    if (isEnough()) return false;
    for await (const { after, ids } of this.#pages(this.#after)) {
      if (after !== this.#after) this.#asked.clear();
      this.#after = after;
      if (!(await askAll(ids.filter((id) => !this.#asked.has(id))))) return false;
      if (isEnough()) return false;
    }
    this.#endedAt ??= this.#clocks.now();
    return true;
  }

  #restart(): void {
    this.#after = null;
    this.#asked.clear();
    this.#endedAt = null;
  }

  async #askAbout(projects: readonly string[], ask: Question): Promise<void> {
    const answers = await Promise.all(projects.map(ask));
    for (const [index, project] of projects.entries()) {
      this.#asked.add(project);
      if (answers[index]) this.#allowed.set(project, this.#clocks.now());
      else this.#allowed.delete(project);
    }
  }

  /** A clock that was set back must not extend an answer. */
  #isFresh(at: number): boolean {
    const age = this.#clocks.now() - at;
    return age >= 0 && age < keptMs;
  }
}

/** Some projects are left to ask about. @throws ServiceError `unavailable`. */
export function throwUnfinished(): never {
  throw new ServiceError(
    'unavailable',
    'The auth service has to be asked about too many projects for one request. Name the graph in the request, or try again to go on.',
    { retryAfter: 1 },
  );
}
