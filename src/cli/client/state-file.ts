import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { z } from 'zod';

/** The state of interrupted work between runs of a command. */
export class StateFile<Schema extends z.ZodType> {
  readonly #path: string;
  readonly #key: unknown;
  readonly #schema: Schema;

  /** @param key identifies the work. Runs with an equal key share the state. */
  constructor(stateDir: string, kind: string, key: unknown, schema: Schema) {
    const name = createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, 32);
    this.#path = join(stateDir, kind, `${name}.json`);
    this.#key = key;
    this.#schema = schema;
  }

  read(): z.output<Schema> | undefined {
    try {
      const { state } = JSON.parse(readFileSync(this.#path, 'utf8')) as { state: unknown };
      return this.#schema.safeParse(state).data;
    } catch (error) {
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT')
        return undefined;
      throw error;
    }
  }

  write(state: z.input<Schema>): void {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    const staged = `${this.#path}.${process.pid}`;
    writeFileSync(staged, JSON.stringify({ work: this.#key, state }), { mode: 0o600 });
    renameSync(staged, this.#path);
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }
}
