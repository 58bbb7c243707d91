import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

interface BareServer extends Disposable {
  readonly url: string;
}

/** The HTTP stack alone in a separate process. */
export const startBareHono = () => start('bare-hono');

/** A plain file server of a folder in a separate process. */
export const startPlainFileServer = (folder: string) => start('plain-file-server', folder);

/** Starts a program beside this file, which sends its address. */
async function start(program: string, ...parameters: string[]): Promise<BareServer> {
  const child = fork(fileURLToPath(new URL(`./${program}.ts`, import.meta.url)), parameters);
  const [url] = await once(child, 'message');
  return { url: String(url), [Symbol.dispose]: () => void child.kill() };
}
