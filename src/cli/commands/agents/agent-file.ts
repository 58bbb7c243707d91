import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { type Jwk, publicKeyOf } from '../../../platform/jwk.ts';
import { failUsage } from '../../terminal/failure.ts';

const content = z.looseObject({ did: z.string(), key: z.record(z.string(), z.unknown()) });

export interface AgentKey {
  readonly did: string;
  readonly key: KeyObject;
  readonly algorithm: 'EdDSA' | 'ES256';
}

export interface Registered {
  readonly url: string;
  readonly agent_id: string;
}

/**
 * The key of an agent and what it was registered as, readable by its owner only. A new key waits beside the file, under
 * `.new`, until the service has accepted it. So a run that was cut off can be repeated with the same key.
 */
export class AgentFile {
  readonly #path: string;
  readonly #staged: string;

  constructor(path: string) {
    this.#path = path;
    this.#staged = `${path}.new`;
  }

  get exists(): boolean {
    return existsSync(this.#path);
  }

  /** The key that waits, or a new one. */
  newKey(curve: 'Ed25519' | 'P-256'): AgentKey {
    if (!existsSync(this.#staged)) write(this.#staged, newContent(curve));
    const { did, key } = this.#readStaged();
    const algorithm = key.crv === 'Ed25519' ? 'EdDSA' : 'ES256';
    return { did, key: createPrivateKey({ key: key as Jwk, format: 'jwk' }), algorithm };
  }

  /** Puts the new key in its place. With `replaces`, a file may be there already. */
  keep(registered: Registered, { replaces }: { readonly replaces: boolean }): void {
    const { did, key } = this.#readStaged();
    const complete = `${this.#staged}.${process.pid}`;
    rmSync(complete, { force: true });
    write(complete, { ...registered, did, key });
    if (replaces) renameSync(complete, this.#path);
    else this.#link(complete);
    rmSync(this.#staged, { force: true });
  }

  /** Unlike renaming, this fails if somebody has made the file meanwhile. */
  #link(complete: string): void {
    try {
      linkSync(complete, this.#path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      failUsage(
        `The agent is registered, but somebody has made ${this.#path} meanwhile. Its key is in ${this.#staged}.`,
      );
    } finally {
      rmSync(complete);
    }
  }

  #readStaged(): z.output<typeof content> {
    try {
      return content.parse(JSON.parse(readFileSync(this.#staged, 'utf8')));
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof z.ZodError)
        failUsage(`${this.#staged} is damaged. Remove it, then run the command again.`);
      throw error;
    }
  }
}

function newContent(curve: 'Ed25519' | 'P-256') {
  const { privateKey } =
    curve === 'Ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key: Jwk = privateKey.export({ format: 'jwk' });
  return { did: publicKeyOf(key, [curve]).did, key };
}

function write(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
}
