import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'cairn-peers');

/** Builds the Go program in a folder beside this file, in a copy outside the repository. @returns its path. */
export async function goBuild(name: string): Promise<string> {
  const folder = join(cache, name);
  await mkdir(folder, { recursive: true });
  await cp(join(import.meta.dirname, name), folder, { recursive: true });
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/local/go/bin` };
  const go = async (...parameters: string[]) =>
    await promisify(execFile)('go', parameters, { cwd: folder, env, maxBuffer: 2 ** 24 });
  // Fills in the indirect modules and go.sum, which are long and say nothing about Cairn.
  await go('mod', 'tidy');
  await go('build', '-o', 'program', '.');
  return join(folder, 'program');
}
