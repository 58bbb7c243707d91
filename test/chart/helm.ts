import { execFile, spawnSync } from 'node:child_process';
import { describeIfThere } from '../describe-with.ts';

const folder = new URL('../../', import.meta.url);
export const examples = ['minimal', 'browser', 'bearer', 'auth-service', 'admission', 'everything'];

export const secret = 'q1Zr8vKx0TgW5mYb3NfLh7DcPs9JuE2a';
/** What Secrets hold, by the variables that take it from there. */
const secretValues: Readonly<Record<string, string>> = {
  CAIRN_MONGODB_URL: 'mongodb://db/',
  CAIRN_REDIS_URL: 'redis://redis/',
  CONTROL_PLANE_AUTH_IDP_CLIENT_ID: 'cairn',
};

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
  describeIfThere(
    !hasTool('helm') && 'helm is not installed (k8s/README.md says how to get it)',
    name,
    suite,
  );
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

/**
 * @param changes `name=value`, on top of an example. A key is taken literally, because braces would make a list, and
 * settings are text.
 */
export function render(example: string, ...changes: readonly string[]): Promise<Outcome> {
  const flagOf = (change: string) => {
    if (/^(?:signing|log)Key=/.test(change)) return '--set-literal';
    return change.startsWith('settings.') ? '--set-string' : '--set';
  };
  const sets = changes.flatMap((change) => [flagOf(change), change]);
  const values = ['-f', `k8s/examples/${example}.yaml`, ...sets];
  return run('helm', ['template', 'cairn', 'k8s', '--namespace', 'cairn', ...values]);
}

/** The variables of a rendered container. */
export function environmentOf(text: string): Record<string, string> {
  const plain = text.matchAll(/- name: ([A-Z][A-Z_]+)\n\s+value: "?(.*?)"?\n/g);
  const secrets = text.matchAll(/- name: ([A-Z][A-Z_]+)\n\s+valueFrom:\n/g);
  return Object.fromEntries([
    ...[...plain].map(([, name, value]) => [name, value]),
    ...[...secrets].map(([, name = '']) => [name, secretValues[name] ?? secret]),
  ]);
}

/** The rendered object of a kind whose name ends in a text. */
export function objectOf(rendered: string, kind: string, name = ''): string {
  const isIt = (text: string) =>
    text.includes(`\nkind: ${kind}\n`) && /\n {2}name: (.*)/.exec(text)?.[1]?.endsWith(name);
  return rendered.split('\n---\n').find(isIt) ?? `No ${kind} ${name} in:\n${rendered}`;
}
