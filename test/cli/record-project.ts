import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import {
  cairn,
  type Environment,
  type Run,
  type RunOptions,
  type Service,
  temporaryFolder,
} from './run-cairn.ts';

/** A folder with `raw.csv`, and a way to record in it. */
export function useProject(service: Service, more: Environment = {}) {
  const folder = temporaryFolder();
  const file = (name: string) => join(folder.path, name);
  writeFileSync(file('raw.csv'), 'a,b\n1,2\n');
  const env = { PATH: String(process.env.PATH), ...service.env, ...more };
  const run = async (args: readonly string[], more: RunOptions = {}) =>
    await cairn(args, { env, cwd: folder.path, ...more });
  const record = async (options: readonly string[], script: string): Promise<Run> =>
    await run(['record', '--name', 'test', '--input', 'raw.csv', ...options, '--', 'sh', '-c', script]);
  return { file, run, record, env, [Symbol.dispose]: folder[Symbol.dispose] };
}

/** The JSON of an answer of the service. */
export async function getJson(service: Service, path: string) {
  const response = await fetch(service.url + path);
  expect(response.ok, path).toBe(true);
  return JSON.parse(await response.text());
}

export const urnOf = (text: string) => `urn:cid:${cidOf(codecs.raw, text).text}`;
