#!/usr/bin/env -S node --disable-warning=ExperimentalWarning --disable-sigusr1
import { readdirSync, rmSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import './platform/v8-flags.ts';

const environment = { ...process.env };
const { HOME, XDG_CACHE_HOME, NODE_COMPILE_CACHE } = environment;
const cacheHome = XDG_CACHE_HOME || (HOME && join(HOME, '.cache'));
// Threads inherit the variable. Commands that `cairn record` runs get the environment as it was.
if (!NODE_COMPILE_CACHE && cacheHome)
  process.env.NODE_COMPILE_CACHE = monthlyFolder(join(cacheHome, 'cairn'));
// Node's default folder is not safe, because others can write there. A folder that cannot be written is not used.
if (process.env.NODE_COMPILE_CACHE) enableCompileCache();

// Imported after the cache is enabled, so that they come from it.
const { run } = await import('./cli/program.ts');
const { processIo } = await import('./cli/terminal/process-io.ts');

process.exitCode = await run(process.argv, processIo(environment));

/** Node never removes an entry, so each month has a folder of its own, and those of other months are removed. */
function monthlyFolder(cache: string): string {
  const month = new Date().toISOString().slice(0, 7);
  try {
    for (const name of readdirSync(cache))
      if (/^\d{4}-\d{2}$/.test(name) && name !== month) rmSync(join(cache, name), { recursive: true });
  } catch {
    // There is no such folder yet, or another process removes the same one.
  }
  return join(cache, month);
}
