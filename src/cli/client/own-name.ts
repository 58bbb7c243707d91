import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { jcs } from '../../domain/integrity/identification/jcs.ts';
import { cidOf, codecs } from '../../domain/integrity/identifiers/cid.ts';
import { nameLimit, shownName } from '../../domain/integrity/names/name.ts';
import { openSigner } from '../../platform/key-file-signer.ts';
import { failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { configFolder } from './client-settings.ts';
import { writeWhole } from './local-files.ts';
import type { SelfNaming } from './self-naming.ts';
import { blobInMemory } from './upload-blob.ts';

const keptNames = z.record(
  z.string(),
  z.object({ name: z.string(), document: z.string(), statements: z.array(z.string()) }),
);

/** What the DIDs of this person have said about their names, by DID. It is stored with everything that they record. */
const fileName = 'names.json';

export interface OwnName extends SelfNaming {
  readonly name: string;
}

/** Names the DID of a key, here and in what it records from now on. @throws Failure (usage) for an unusable name. */
export async function nameOwnKey(env: Io['env'], keyFile: string, given: string): Promise<OwnName> {
  const name = shownName(given);
  if (name === '') failUsage('The name is empty.');
  const { length } = [...given.trim()];
  if (length > nameLimit) failUsage(`The name has ${length} characters, and the limit is ${nameLimit}.`);
  const signer = await openSigner(keyFile, { mayCreate: false });
  // JSON-LD takes time to load.
  const { selfNaming } = await import('./self-naming.ts');
  const naming = await selfNaming(signer, name, new Date());
  const kept = { name, document: jcs({ name }), statements: naming.statements.map(String) };
  const all = { ...(await readNames(env)), [signer.did]: kept };
  await mkdir(dirname(pathOf(env)), { recursive: true, mode: 0o700 });
  await writeWhole(pathOf(env), `${JSON.stringify(all)}\n`);
  return { name, ...naming };
}

/** The name that a DID of this person was given here. */
export async function ownName(env: Io['env'], did: string): Promise<OwnName | undefined> {
  const kept = (await readNames(env))[did];
  if (!kept) return undefined;
  const bytes = Buffer.from(kept.document);
  const document = blobInMemory(cidOf(codecs.jcs, bytes), bytes);
  return { name: kept.name, document, statements: kept.statements.map((text) => Buffer.from(text)) };
}

async function readNames(env: Io['env']): Promise<z.output<typeof keptNames>> {
  try {
    return keptNames.parse(JSON.parse(await readFile(pathOf(env), 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    if (error instanceof SyntaxError || error instanceof z.ZodError)
      failUsage(`${pathOf(env)} is damaged. Remove it, then run "cairn key name" again.`);
    throw error;
  }
}

function pathOf(env: Io['env']): string {
  return join(configFolder(env), fileName);
}

/** The name that commits of this person have; undefined if git does not say. */
export async function gitName(env: Io['env']): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('git', ['config', '--get', 'user.name'], { env });
    return shownName(stdout) || undefined;
  } catch {
    return undefined;
  }
}
