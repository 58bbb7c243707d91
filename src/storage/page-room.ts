import type { StoredStatement } from '../domain/integrity/ports.ts';

/** Rows that are looked at for a page, and bytes of the statements on it. */
const rowsLooked = 20_000;
const pageBytes = 8 << 20;

/** What a page of statements still has room for: it ends early where rows are many or statements are large. */
export class PageRoom {
  #statements: number;
  #looks = rowsLooked;
  #bytes = pageBytes;

  constructor(limit: number) {
    this.#statements = limit;
  }

  /** Asked once for each row that is looked at. */
  hasRoom(): boolean {
    return this.#statements > 0 && this.#bytes > 0 && this.#looks-- > 0;
  }

  take({ jcs }: StoredStatement): void {
    this.#statements -= 1;
    this.#bytes -= jcs.length;
  }
}
