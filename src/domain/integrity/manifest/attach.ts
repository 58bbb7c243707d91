import type { JsonSlice } from '../../json/json-cursor.ts';
import { chunksOf, partOf, type RandomAccess } from '../../json/random-access.ts';
import { openCarFile } from '../car/car.ts';
import { carHeader, sectionHead } from '../car/writing.ts';
import { type Cid, parseCid } from '../identifiers/cid.ts';
import { type CarriedBlob, jsonBlobs } from './blobs.ts';
import { type ManifestForm, openCarrier } from './carrier.ts';
import { type ManifestFile, manifestVersion } from './file.ts';
import { nameOf } from './writing.ts';

export interface Attachment {
  readonly cid: Cid;
  readonly bytes: Uint8Array;
}

/**
 * A manifest as a CAR that carries further blobs, which its root lists. Everything else stays as it is, so whatever could be
 * verified still can. Nothing is verified here.
 * @throws ServiceError if the file is not a manifest in this form.
 */
export async function* withAttachments(
  file: RandomAccess,
  form: ManifestForm,
  attachments: readonly Attachment[],
): AsyncGenerator<Uint8Array> {
  const { manifest, allBlobs } = await openCarrier(file, form);
  const listed = new Set([...(await attachedIn(manifest)), ...attachments.map(({ cid }) => cid.text)]);
  // In JSON, nothing needs to name a blob.
  if (form === 'json') for await (const blob of jsonBlobs(manifest)) listed.add(blob.cid().text);
  const attached = [...listed].sort();
  const root = await nameOf(rootParts(manifest, attached));
  yield carHeader(root.cid);
  yield sectionHead(root.cid, root.size);
  yield* rootParts(manifest, attached);
  const written = new Set([root.cid.text, ...attachments.map(({ cid }) => cid.text)]);
  const [before] = form === 'car' ? (await openCarFile(file)).roots : [];
  for await (const blob of allBlobs()) if (blob.cid().text !== before?.text) yield* section(blob, written);
  for (const { cid, bytes } of attachments) {
    yield sectionHead(cid, bytes.length);
    yield bytes;
  }
}

async function* section(blob: CarriedBlob, written: Set<string>): AsyncGenerator<Uint8Array> {
  const cid = blob.cid();
  if (written.has(cid.text)) return;
  written.add(cid.text);
  yield sectionHead(cid, blob.size);
  yield* blob.bytes();
}

async function attachedIn({ json, attachedBlobs }: ManifestFile): Promise<string[]> {
  const texts: string[] = [];
  if (!attachedBlobs) return texts;
  for await (const slice of json.elements(attachedBlobs)) {
    const text: unknown = JSON.parse(Buffer.from(await json.bytes(slice)).toString());
    texts.push(parseCid(String(text)).text);
  }
  return texts;
}

/** The manifest without its blobs, with their list. */
async function* rootParts(manifest: ManifestFile, attached: readonly string[]): AsyncGenerator<Uint8Array> {
  const { file, contexts, statements, anchors, isComplete } = manifest;
  yield text(`{"version":"${manifestVersion}"`);
  for (const [name, slice] of Object.entries({ contexts, statements, anchors })) {
    if (!slice) continue;
    yield text(`,"${name}":`);
    yield* chunksOf(sliceOf(file, slice));
  }
  yield text(`${isComplete ? ',"complete":true' : ''},"attachedBlobs":${JSON.stringify(attached)}}`);
}

function sliceOf(file: RandomAccess, { start, end }: JsonSlice): RandomAccess {
  return partOf(file, start, end - start);
}

function text(value: string): Uint8Array {
  return Buffer.from(value);
}
