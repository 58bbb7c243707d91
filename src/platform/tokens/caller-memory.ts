import { LRUCache } from 'lru-cache';
import { type ProjectPages, ProjectSearch } from '../../domain/access/project-search.ts';

const mostCallers = 50_000;
const mostRecent = 8;
const mostProjects = 500_000;
/** Of a search without results, in projects. */
const searchSize = 50;

/** What is remembered about callers whose permissions are asked of an auth service. */
export class CallerMemory {
  readonly #pages: ProjectPages;
  readonly #now: () => Date;
  readonly #recent = new LRUCache<string, readonly string[]>({ max: mostCallers });
  readonly #searches = new LRUCache<string, ProjectSearch>({
    maxSize: mostProjects,
    sizeCalculation: (search) => searchSize + search.size,
  });

  constructor(pages: ProjectPages, now: () => Date) {
    this.#pages = pages;
    this.#now = now;
  }

  /** The last projects that were remembered under a key, the last first. */
  recent(key: string): readonly string[] {
    return this.#recent.get(key) ?? [];
  }

  remember(key: string, project: string): void {
    const others = this.recent(key).filter((other) => other !== project);
    this.#recent.set(key, [project, ...others].slice(0, mostRecent));
  }

  /** The search of this key, or a new one. */
  search(key: string): ProjectSearch {
    const clocks = { now: () => this.#now().getTime(), elapsed: () => performance.now() };
    const search = this.#searches.get(key) ?? new ProjectSearch(this.#pages, clocks);
    // Its size has changed since it was set.
    this.#searches.set(key, search);
    return search;
  }
}
