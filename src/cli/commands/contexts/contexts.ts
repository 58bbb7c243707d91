import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { ServiceError } from '../../../domain/errors.ts';
import { ContextRegistry, contextLimit } from '../../../domain/integrity/contexts/contexts.ts';
import {
  type ContextDocument,
  ContextWorld,
  contextDocument,
} from '../../../domain/integrity/contexts/world.ts';
import { type Cid, cidIn, cidUrn, parseCid } from '../../../domain/integrity/identifiers/cid.ts';
import { openCarrier } from '../../../domain/integrity/manifest/carrier.ts';
import { readContexts } from '../../../domain/integrity/manifest/contexts.ts';
import { openClient } from '../../client/api-client.ts';
import { readClientSettings } from '../../client/client-settings.ts';
import { fileCid, filesBelow, openRandomAccess, pathKind } from '../../client/local-files.ts';
import { manifestForm } from '../../client/manifest-form.ts';
import { storeBlobs } from '../../client/store-blobs.ts';
import { blobInMemory } from '../../client/upload-blob.ts';
import { failNo, failUsage } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { printableLine, say, writeText } from '../../terminal/output.ts';

const notes = `
Statements can name a context by the CID of its bytes. The service learns such contexts as blobs, without a restart. FILE is a
context document, a folder of them, or a manifest, whose contexts are added as far as their bytes have the CID in their URL.
Contexts with an https URL are trusted by name, so only the operator can add them: see CAIRN_CONTEXTS_DIR.

Examples:
  $ cairn contexts add vocabulary.jsonld
  $ cairn contexts add manifest.json`;

export function contextsCommand(program: Command, io: Io): void {
  program
    .command('contexts')
    .description('add JSON-LD contexts that statements name')
    .command('add')
    .description('store contexts and print their URLs')
    .argument('<file...>', 'context documents, folders of them, or manifests')
    .addHelpText('after', notes)
    .action(async (paths: string[]) => await add(io, paths));
}

interface NamedContext {
  readonly cid: Cid;
  readonly bytes: Uint8Array;
}

async function add(io: Io, paths: readonly string[]): Promise<void> {
  const client = openClient(readClientSettings(io));
  const problems: string[] = [];
  let count = 0;
  for (const path of paths) {
    let files = 0;
    for await (const file of filesAt(path)) {
      const found = await contextsIn(file, (problem) => problems.push(`${printableLine(file)}: ${problem}`));
      await storeBlobs(
        client,
        found.map(({ cid, bytes }) => blobInMemory(cid, bytes)),
      );
      for (const { cid } of found) await writeText(io, `${cidUrn(cid)}  ${printableLine(file)}\n`);
      count += found.length;
      files += 1;
    }
    if (files === 0) problems.push(`The folder ${printableLine(path)} has no files.`);
  }
  if (problems.length > 0) failNo(problems.join('\n'));
  if (count === 0) say(io, 'All of these contexts are a part of Cairn, so there is nothing to add.');
}

async function* filesAt(path: string): AsyncGenerator<string> {
  const kind = await pathKind(path);
  if (kind === undefined) failUsage(`The file or folder ${path} does not exist.`);
  if (kind !== 'folder') yield path;
  else for await (const file of filesBelow(path, () => undefined)) yield file.path;
}

async function contextsIn(path: string, onProblem: (problem: string) => void): Promise<NamedContext[]> {
  try {
    const form = await manifestForm(path);
    return form ? await ofManifest(path, form, onProblem) : [await ofDocument(path)];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    onProblem(error.message);
    return [];
  }
}

async function ofManifest(
  path: string,
  form: 'json' | 'car',
  onProblem: (problem: string) => void,
): Promise<NamedContext[]> {
  await using file = await openRandomAccess(path);
  const { manifest } = await openCarrier(file, form);
  const bundled = ContextWorld.bundled();
  const { world, unverified } = await readContexts(manifest, new ContextRegistry(bundled, []));
  const added: NamedContext[] = [];
  for (const { url, text } of world.documents) {
    const cid = url.startsWith('urn:cid:') ? cidIn(url) : undefined;
    if (bundled.has(url)) continue;
    if (!cid) onProblem(`${printableLine(url)} is no CID. The operator can add it (CAIRN_CONTEXTS_DIR).`);
    else if (unverified.has(url))
      onProblem(`The bytes of ${url} have another CID. Add its original document.`);
    else added.push({ cid, bytes: Buffer.from(text) });
  }
  return added;
}

/** A document under the CID that its file is named after, or else under the raw CID of its bytes. */
async function ofDocument(path: string): Promise<NamedContext> {
  const { size } = await stat(path);
  if (size > contextLimit)
    throw new ServiceError('too_large', `It has ${size} bytes. A context may have ${contextLimit}.`);
  const bytes = await readFile(path);
  const named = cidIn(basename(path));
  const cid = named && (await fileCid(path, named)).cid.text === named.text ? named : undefined;
  const document = contextDocument(pathToFileURL(path).href, bytes.toString());
  assertContext(document);
  return { cid: cid ?? parseCid(document.cid), bytes };
}

/** @throws ServiceError unless it is a context document. */
function assertContext(document: ContextDocument): void {
  const world = new ContextWorld([document]);
  const { json } = world.reachable([document.url]).get(document.url) ?? {};
  if (!Object.hasOwn(Object(json), '@context'))
    throw new ServiceError(
      'unknown_context',
      'It is neither a context document, which has "@context", nor a manifest.',
    );
}
