import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { GitState } from '../../domain/integrity/runs/run-document.ts';
import { failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { say } from '../terminal/output.ts';

/** A tree of many files on a slow disk takes long. */
const gitMs = 20_000;
const gitBytes = 64 << 20;

/**
 * The commit, the branch and the state of the tree that a folder is in. Undefined if it is in no work tree, or git is
 * missing or fails: that must not stop a run. Addresses of remotes are not read, because they can contain passwords.
 */
export async function gitStateOf(io: Pick<Io, 'env' | 'stderr'>, cwd: string): Promise<GitState | undefined> {
  const args = ['--no-optional-locks', 'status', '--porcelain=v2', '--branch', '--untracked-files=normal'];
  const options = { cwd, env: io.env, timeout: gitMs, maxBuffer: gitBytes } as const;
  try {
    return gitStateIn((await promisify(execFile)('git', args, options)).stdout);
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
    const isElsewhere = code === 'ENOENT' || /not a git repository|must be run in a work tree/.test(stderr);
    if (!isElsewhere) say(io, 'git does not tell its state, so the record has no commit.');
    return undefined;
  }
}

/** Reads `git status --porcelain=v2 --branch`. */
function gitStateIn(output: string): GitState {
  const lines = output.split('\n').filter(Boolean);
  const header = (name: string) =>
    lines.find((line) => line.startsWith(`# ${name} `))?.slice(name.length + 3);
  const commit = header('branch.oid');
  const branch = header('branch.head');
  const untracked = lines.filter((line) => line.startsWith('? ')).length;
  return {
    ...(commit !== undefined && commit !== '(initial)' && { commit }),
    ...(branch !== undefined && branch !== '(detached)' && { branch }),
    clean: lines.every((line) => /^[#?] /.test(line)),
    untracked,
  };
}

/** The values of variables; null for those that are not set. */
export function environmentOf(io: Pick<Io, 'env' | 'stderr'>, names: readonly string[]) {
  const found: Record<string, string | null> = {};
  for (const name of names) {
    if (!/^[^=\0]+$/.test(name))
      failUsage(`"${name}" is not the name of an environment variable. Write --env NAME.`);
    const value = io.env[name];
    if (value === undefined) say(io, `The environment variable ${name} is not set. The record says so.`);
    found[name] = value?.toWellFormed() ?? null;
  }
  return found;
}
