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

/** The file is written in milliseconds. */
const longestWaitMs = 10_000;

/** What a login has brought, for one service. */
export type KeptLogin = z.output<typeof login>;

/** The tokens of all logins, by the address of their service, in a file that nobody else can read. */
export class TokenFile {
  readonly path: string;
  readonly #warn: (sentence: string) => void;

  constructor(path: string, warn: (sentence: string) => void) {
    this.path = path;
    this.#warn = warn;
  }

  /** @throws Failure when the file is not understood. */
  read(url: string): KeptLogin | undefined {
    const services = this.#services();
    return Object.hasOwn(services, url) ? services[url] : undefined;
  }

  keep(url: string, kept: KeptLogin): void {
    this.#alone(() => this.#write({ ...this.#services(), [url]: kept }));
  }

  /** Whether there was one. */
  remove(url: string): boolean {
    if (!this.read(url)) return false;
    return this.#alone(() => {
      const { [url]: kept, ...others } = this.#services();
      if (kept) this.#write(others);
      return kept !== undefined;
    });
  }

  /**
   * Does something while no other command writes the file. As that is replaced, the lock is on one beside it; the kernel
   * drops it with the process, however that ends.
   */
  #alone<Result>(work: () => Result): Result {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    this.#fix(dirname(this.path), 0o700);
    const name = `${this.path}.lock`;
    writeFileSync(name, '', { mode: 0o600, flag: 'a' });
    using lock = new DatabaseSync(name, { timeout: longestWaitMs });
    try {
      lock.exec('BEGIN EXCLUSIVE');
    } catch (cause) {
      const message = `${this.path} is in use by another command, or cannot be locked. Try again.`;
      throw new Failure(exitCodes.unreachable, message, { cause });
    }
    return work();
  }

  #services(): Readonly<Record<string, KeptLogin>> {
    try {
      const text = readFileSync(this.path, 'utf8');
      this.#fix(dirname(this.path), 0o700);
      this.#fix(this.path, 0o600);
      return content.parse(JSON.parse(text)).services;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      if (error instanceof SyntaxError || error instanceof z.ZodError)
        failUsage(`${this.path} is damaged. Remove it, then run "cairn login" again.`);
      throw error;
    }
  }

  /** Takes away what others may do. */
  #fix(path: string, mode: number): void {
    if (process.platform === 'win32' || (statSync(path).mode & 0o077) === 0) return;
    chmodSync(path, mode);
    this.#warn(
      `${path} could be used by others and now has mode ${mode.toString(8)}. If somebody may have read it, log out at the issuer.`,
    );
  }

  #write(services: Readonly<Record<string, KeptLogin>>): void {
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
