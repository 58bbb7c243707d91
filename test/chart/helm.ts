import { execFile, spawnSync } from 'node:child_process';
import { describe, test } from 'vitest';

const folder = new URL('../../', import.meta.url);
export const examples = ['minimal', 'browser', 'bearer', 'auth-service', 'everything'];

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function hasTool(name: string): boolean {
  return spawnSync(name, ['--help'], { stdio: 'ignore' }).error === undefined;
}

/** A suite that is skipped in one line where helm is missing. */
export function describeChart(name: string, suite: () => void): void {
  if (hasTool('helm')) {
    describe(name, suite);
    return;
  }
  const absence = 'helm is not installed (k8s/README.md says how to get it)';
  console.warn(`skipped: ${name}, because ${absence}`);
  test.skip(`${name}: ${absence}`);
}

export function run(command: string, args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd: folder, maxBuffer: 1e7 }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr });
    });
  });
}

export function lint(example: string): Promise<Outcome> {
  return run('helm', ['lint', 'k8s', '--strict', '-f', `k8s/examples/${example}.yaml`]);
}

/** @param changes `name=value`, on top of an example. A key is taken literally, because braces would make a list. */
export function render(example: string, ...changes: readonly string[]): Promise<Outcome> {
  const sets = changes.flatMap((change) => [
    change.startsWith('signingKey=') ? '--set-literal' : '--set',
    change,
  ]);
  const values = ['-f', `k8s/examples/${example}.yaml`, ...sets];
  return run('helm', ['template', 'cairn', 'k8s', '--namespace', 'cairn', ...values]);
}
