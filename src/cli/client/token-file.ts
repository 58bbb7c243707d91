import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { exitCodes, Failure, failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';

const login = z.object({
  issuer: z.string(),
  client_id: z.string(),
  id_token: z.string(),
  access_token: z.string(),
});
const content = z.object({ version: z.literal(1), services: z.record(z.string(), login) });

/** How long to wait for another command. Writing the file takes milliseconds. */
const lockTimeoutMs = 10_000;

/** The stored tokens for one service. */
export type StoredLogin = z.output<typeof login>;

/** The tokens of all logins by service URL, in a file that only its owner can read. */
export class TokenFile {
  readonly path: string;
  readonly #warn: (sentence: string) => void;

  constructor(path: string, warn: (sentence: string) => void) {
    this.path = path;
    this.#warn = warn;
  }

  /** @throws Failure if the file is damaged. */
  read(url: string): StoredLogin | undefined {
    const services = this.#services();
    return Object.hasOwn(services, url) ? services[url] : undefined;
  }

  store(url: string, login: StoredLogin): void {
    this.#withLock(() => this.#write({ ...this.#services(), [url]: login }));
  }

  /** @returns whether there was a login. */
  remove(url: string): boolean {
    if (!this.read(url)) return false;
    return this.#withLock(() => {
      const { [url]: removed, ...others } = this.#services();
      if (removed) this.#write(others);
      return removed !== undefined;
    });
  }

  /**
   * Runs work while no other command writes the file. The lock is on a file beside it, because the file itself is
   * replaced. The kernel releases the lock when the process ends.
   */
  #withLock<Result>(work: () => Result): Result {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    this.#restrict(dirname(this.path), 0o700);
    const name = `${this.path}.lock`;
    writeFileSync(name, '', { mode: 0o600, flag: 'a' });
    using lock = new DatabaseSync(name, { timeout: lockTimeoutMs });
    try {
      lock.exec('BEGIN EXCLUSIVE');
    } catch (cause) {
      const message = `${this.path} cannot be locked. Another command may be using it. Try again.`;
      throw new Failure(exitCodes.unreachable, message, { cause });
    }
    return work();
  }

  #services(): Readonly<Record<string, StoredLogin>> {
    try {
      const text = readFileSync(this.path, 'utf8');
      this.#restrict(dirname(this.path), 0o700);
      this.#restrict(this.path, 0o600);
      return content.parse(JSON.parse(text)).services;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      if (error instanceof SyntaxError || error instanceof z.ZodError)
        failUsage(`${this.path} is damaged. Remove it, then run "cairn login" again.`);
      throw error;
    }
  }

  /** Removes the permissions of group and others. */
  #restrict(path: string, mode: number): void {
    if (process.platform === 'win32' || (statSync(path).mode & 0o077) === 0) return;
    chmodSync(path, mode);
    this.#warn(
      `${path} was accessible to others. Its mode is now ${mode.toString(8)}. If somebody may have read it, log out at the issuer.`,
    );
  }

  #write(services: Readonly<Record<string, StoredLogin>>): void {
    const staged = `${this.path}.${process.pid}`;
    rmSync(staged, { force: true });
    const text = `${JSON.stringify({ version: 1, services } satisfies z.input<typeof content>, null, 2)}\n`;
    writeFileSync(staged, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(staged, this.path);
  }
}

export function openTokenFile(configDir: string, { stderr }: Pick<Io, 'stderr'>): TokenFile {
  return new TokenFile(join(configDir, 'tokens.json'), (sentence) => stderr.write(`${sentence}\n`));
}
