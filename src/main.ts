#!/usr/bin/env -S node --disable-warning=ExperimentalWarning --disable-sigusr1
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

// Otherwise V8 collects the whole heap after each few MiB of buffers, as an upload needs them (nodejs/node#61967).
setFlagsFromString('--external-memory-accounted-in-global-limit');

const environment = { ...process.env };
const { HOME, XDG_CACHE_HOME, NODE_COMPILE_CACHE } = environment;
const cacheHome = XDG_CACHE_HOME || (HOME && join(HOME, '.cache'));
// Threads inherit the variable. Commands that `cairn record` runs get the environment as it was.
if (!NODE_COMPILE_CACHE && cacheHome) process.env.NODE_COMPILE_CACHE = join(cacheHome, 'cairn');
// Node's default folder is not safe, because others can write there. A folder that cannot be written is not used.
if (process.env.NODE_COMPILE_CACHE) enableCompileCache();

// Imported after the cache is enabled, so that they come from it.
const { run } = await import('./cli/program.ts');
const { processIo } = await import('./cli/terminal/process-io.ts');

process.exitCode = await run(process.argv, processIo(environment));
