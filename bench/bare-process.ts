import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The HTTP stack alone in a separate process. */
export async function startBareHono(): Promise<{ url: string; stop: () => void }> {
  const child = fork(fileURLToPath(new URL('./bare-hono.ts', import.meta.url)));
  const [url] = await once(child, 'message');
  return { url: url as string, stop: () => child.kill() };
}
