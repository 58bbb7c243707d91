import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { StatementRow } from '../../src/domain/integrity/ports.ts';

/** References in one indexed table, and lineage as a plain recursive SQL query. */
export class PlainSql implements Disposable {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #upstream: StatementSync;
  readonly #downstream: StatementSync;
  #statements = 0;

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768;
      CREATE TABLE refs (statement INTEGER, role TEXT, identifier TEXT);
      CREATE INDEX refs_by_identifier ON refs (identifier, role, statement);
      CREATE INDEX refs_by_statement ON refs (statement, role, identifier)`);
    this.#insert = this.#database.prepare('INSERT INTO refs VALUES (?, ?, ?)');
    this.#upstream = this.#database.prepare(recursion('output', 'input'));
    this.#downstream = this.#database.prepare(recursion('input', 'output'));
  }

  add(rows: readonly StatementRow[]): void {
    this.#database.exec('BEGIN');
    for (const { references } of rows) {
      this.#statements += 1;
      for (const { role, identifier } of references) this.#insert.run(this.#statements, role, identifier);
    }
    this.#database.exec('COMMIT');
  }

  upstream(start: string, depth: number, limit: number): number {
    return this.#upstream.all(start, depth, limit).length;
  }

  downstream(start: string, depth: number, limit: number): number {
    return this.#downstream.all(start, depth, limit).length;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

function recursion(from: string, to: string): string {
  return `WITH RECURSIVE reached(id, depth) AS (
      VALUES (?1, 0)
      UNION
      SELECT ends.identifier, depth + 1 FROM reached
        JOIN refs AS makers ON makers.identifier = id AND makers.role = '${from}'
        JOIN refs AS ends ON ends.statement = makers.statement AND ends.role = '${to}'
      WHERE depth < ?2
    )
    SELECT id, min(depth) FROM reached GROUP BY id LIMIT ?3`;
}
