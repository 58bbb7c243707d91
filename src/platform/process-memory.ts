import { setFlagsFromString } from 'node:v8';

/** By how much a heap grows beyond what is in use before V8 collects what is not, in percent. */
const growth = '--heap-growing-percent=30';
/** What comes and goes, such as rows of a page, is collected before much of it has gathered. */
const young = '--max-semi-space-size=8';
/** Each thread of glibc's has memory of its own otherwise, which others cannot use when it is free again. */
const arenas = { name: 'MALLOC_ARENA_MAX', most: '2' };

/**
 * Keeps the heaps of the process and its threads near to what is in use. Statements pass through in large numbers; by
 * itself V8 would rather let them gather, up to several times of what is needed. The program begins anew for that in
 * the same process, once: the allocator reads its variable at the begin, and V8 the size of its young generation. What
 * somebody has set already stays.
 */
export function beginWithLittleMemory(environment: NodeJS.ProcessEnv): void {
  const options = [young, growth].filter((option) => !isGiven(option, environment));
  if (options.length === 0 && environment[arenas.name] !== undefined) return;
  const argv = [process.execPath, ...options, ...process.execArgv, ...process.argv.slice(1)];
  try {
    process.execve?.(process.execPath, argv, { [arenas.name]: arenas.most, ...environment });
  } catch {
    // A sandbox may forbid it.
  }
  // Where this cannot be, what can still be told is told, and the service takes more memory.
  for (const option of options) setFlagsFromString(option);
}

function isGiven(option: string, { NODE_OPTIONS = '' }: NodeJS.ProcessEnv): boolean {
  const [name = ''] = option.split('=');
  return [...process.execArgv, ...NODE_OPTIONS.split(/\s+/)].some((given) => given.startsWith(name));
}
