import { LRUCache } from 'lru-cache';
import { type ProjectPages, ProjectSearch } from '../../domain/access/project-search.ts';

interface Kept {
  readonly search: ProjectSearch;
  readonly since: number;
}

const keptMs = 30_000;
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
  readonly #searches = new LRUCache<string, Kept>({
    maxSize: mostProjects,
    sizeCalculation: ({ search }) => searchSize + search.allowed.size,
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

  /** The search of this key in the last 30 seconds, or a new one. */
  search(key: string): ProjectSearch {
    const now = this.#now().getTime();
    const kept = this.#searches.get(key);
    const isFresh = kept !== undefined && now >= kept.since && now < kept.since + keptMs;
    const current = isFresh ? kept : { search: new ProjectSearch(this.#pages), since: now };
    // Its size has changed since it was set.
    this.#searches.set(key, current);
    return current.search;
  }
}
