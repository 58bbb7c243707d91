import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { formatVkey, parseVkey, type Vkey } from '../../src/domain/log/notes/vkey.ts';
import type { WitnessClient } from '../../src/domain/log/witnessing/ask-witness.ts';
import { witnessRoutes } from '../../src/http/witness.ts';
import { listen } from '../../src/platform/http/server.ts';
import { openLog } from '../../src/platform/log.ts';
import { openWitnessFolder } from '../../src/storage/witness-folder.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export type Answering = (request: Request) => Response | Promise<Response>;

export interface TestWitness {
  readonly url: string;
  readonly vkey: Vkey;
  /** Its line of a policy. */
  readonly line: string;
  readonly answer: Answering;
}

const silent = openLog({ logLevel: 'silent', logFormat: 'json' }, process.stderr);

/** A witness with a folder of its own, which follows one log. */
export function testWitness(name: string, log: Vkey, now: () => Date = () => new Date()): TestWitness {
  const folder = temporaryFolder();
  const opened = openWitnessFolder(folder.path, { name, onWarning: () => undefined });
  onTestFinished(() => {
    opened[Symbol.dispose]();
    folder[Symbol.dispose]();
  });
  const app = witnessRoutes({ ...opened, logs: new Map([[log.name, [log]]]), now }, silent);
  const [signer] = opened.signers;
  if (!signer) throw new Error('The witness has no key.');
  const url = `http://${name}`;
  const line = `witness ${name} ${formatVkey(signer.vkey)} ${url}`;
  return { url, vkey: signer.vkey, line, answer: (request) => app.fetch(request) };
}

/** A witness of a service behind a port, and a policy that needs it. It answers with 503 until it is woken. */
export async function sleepingWitness(service: {
  readonly app: { request(path: string): Response | Promise<Response> };
}): Promise<{ readonly policy: string; wake(): void }> {
  const key = (await (await service.app.request('/log/v1/key')).text()).trim();
  const witness = testWitness('w1', parseVkey(key));
  let answer: Answering = () => new Response('asleep', { status: 503 });
  const server = await listen({ fetch: (request) => answer(request), host: '127.0.0.1', port: 0 });
  const folder = temporaryFolder();
  onTestFinished(async () => {
    await server.stop(0);
    folder[Symbol.dispose]();
  });
  const policy = join(folder.path, 'policy');
  writeFileSync(policy, `${witness.line.replace(witness.url, server.url)}\nquorum w1\n`);
  return {
    policy,
    wake() {
      answer = witness.answer;
    },
  };
}

/** Brings calls to witnesses by their addresses. Others cannot be reached. */
export function clientOf(
  witnesses: ReadonlyMap<string, Answering>,
): WitnessClient & { readonly calls: string[] } {
  const calls: string[] = [];
  const call = async (url: string, init: RequestInit) => {
    calls.push(`${init.method} ${url}`);
    const answer = witnesses.get(new URL(url).origin);
    if (!answer) throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') });
    const response = await answer(new Request(url, init));
    return { status: response.status, body: await response.text() };
  };
  return {
    calls,
    get: (url) => call(url, { method: 'GET' }),
    post: (url, body) => call(url, { method: 'POST', body }),
  };
}
