import { glob, readFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { cidIn } from '../domain/integrity/identifiers/cid.ts';
import type { ContextSource } from '../domain/integrity/ports.ts';

const contextUrl = /^https:\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)*)(\/[\w.~%+@-]+(?:\/[\w.~%+@-]+)*)\/?$/i;

/**
 * The operator's context documents: `cid/<cid>` for `urn:cid:<cid>` and `https/<host>/<path>` for a URL. They are
 * trusted by name; whether the bytes hash to the CID is not checked.
 */
export class ContextsFolder implements ContextSource {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  async find(url: string): Promise<string | undefined> {
    const path = this.#path(url);
    if (path === undefined) return undefined;
    return await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (['ENOENT', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG'].includes(error.code ?? '')) return undefined;
      throw error;
    });
  }

  async all(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for await (const path of glob(['cid/*', 'https/*/**'], { cwd: this.#folder })) {
      const url = urlOf(path);
      const text = await this.find(url);
      if (text !== undefined) found.set(url, text);
    }
    return found;
  }

  #path(url: string): string | undefined {
    const cid = url.startsWith('urn:cid:') ? cidIn(url) : undefined;
    if (cid) return join(this.#folder, 'cid', cid.text);
    const [, host, path] = contextUrl.exec(url) ?? [];
    if (!host || !path || path.split('/').some((step) => /^\.\.?$/.test(step))) return undefined;
    return join(this.#folder, 'https', host.toLowerCase(), path);
  }
}

function urlOf(path: string): string {
  const [kind, ...steps] = path.split(sep);
  return kind === 'cid' ? `urn:cid:${steps.join('')}` : `https://${steps.join('/')}`;
}
