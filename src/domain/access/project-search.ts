import { ServiceError } from '../errors.ts';

export interface ProjectPage {
  /** The cursor that leads to this page; null for the first. */
  readonly after: string | null;
  readonly ids: readonly string[];
}

/** The projects of this service from a cursor on, oldest first. */
export type ProjectPages = (after: string | null) => AsyncIterable<ProjectPage>;

type Question = (project: string) => Promise<boolean>;

/** Limits how many questions one search sends at once. */
const questionsAtOnce = 8;
const deadlineMs = 10_000;

/**
 * Searches all projects for those on which a caller has a permission, and remembers how far it came. A search that
 * runs out of time goes on where it stopped. A finished search asks only about new projects.
 */
export class ProjectSearch {
  readonly #pages: ProjectPages;
  readonly #elapsed: () => number;
  readonly #allowed = new Set<string>();
  #after: string | null = null;
  /** The projects of the page at `#after` that were asked about. */
  #asked = new Set<string>();
  #running: Promise<void> = Promise.resolve();

  /** @param elapsed returns milliseconds. */
  constructor(pages: ProjectPages, elapsed: () => number = () => performance.now()) {
    this.#pages = pages;
    this.#elapsed = elapsed;
  }

  /** The projects that were found so far. */
  get allowed(): ReadonlySet<string> {
    return this.#allowed;
  }

  /** Whether there is any such project. @throws ServiceError `unavailable`. */
  async some(ask: Question): Promise<boolean> {
    await this.#search(ask, () => this.#allowed.size > 0);
    return this.#allowed.size > 0;
  }

  /** All such projects. @throws ServiceError `unavailable`. */
  async all(ask: Question): Promise<ReadonlySet<string>> {
    await this.#search(ask, () => false);
    return new Set(this.#allowed);
  }

  /** Concurrent requests share one search: the second goes on where the first ends. */
  async #search(ask: Question, isEnough: () => boolean): Promise<void> {
    const until = this.#elapsed() + deadlineMs;
    const run = this.#running.catch(() => undefined).then(() => this.#proceed(ask, isEnough, until));
    this.#running = run;
    await run;
  }

  async #proceed(ask: Question, isEnough: () => boolean, until: number): Promise<void> {
    if (isEnough()) return;
    for await (const { after, ids } of this.#pages(this.#after)) {
      if (after !== this.#after) this.#asked.clear();
      this.#after = after;
      const open = ids.filter((id) => !this.#asked.has(id));
      for (let at = 0; at < open.length; at += questionsAtOnce) {
        if (this.#elapsed() > until) refuseSlow();
        await this.#askAbout(open.slice(at, at + questionsAtOnce), ask);
        if (isEnough()) return;
      }
    }
  }

  async #askAbout(projects: readonly string[], ask: Question): Promise<void> {
    const answers = await Promise.all(projects.map(ask));
    for (const [index, project] of projects.entries()) {
      this.#asked.add(project);
      if (answers[index]) this.#allowed.add(project);
    }
  }
}

function refuseSlow(): never {
  throw new ServiceError(
    'unavailable',
    'Asking the auth service about all projects takes too long. Name the graph in the request, or try again to go on.',
    { retryAfter: 1 },
  );
}
