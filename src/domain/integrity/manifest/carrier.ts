import { ServiceError } from '../../errors.ts';
import type { JsonSlice } from '../../json/json-cursor.ts';
import { chunksOf, partOf, type RandomAccess } from '../../json/random-access.ts';
import { type CarFile, type CarFileBlock, openCarFile } from '../car/car.ts';
import { type Cid, codecs } from '../identifiers/cid.ts';
import { DigestSet } from '../identifiers/digest-set.ts';
import type { StatementRow } from '../ports.ts';
import { type BlobBytes, type CarriedBlob, jsonBlobAt, jsonBlobs, verifyBlob } from './blobs.ts';
import { type ManifestFile, openManifest } from './file.ts';

/** A manifest in a file, as JSON or CAR. The passes must run in the order of these members. */
export interface ManifestCarrier {
  readonly form: ManifestForm;
  readonly manifest: ManifestFile;
  /** Everything that is addressed by its hash. */
  allBlobs(): AsyncGenerator<CarriedBlob>;
  /** One of these, at any time. */
  blobAt(slice: JsonSlice): Promise<BlobBytes>;
  /** Must be called for each statement of the manifest. */
  note(row: StatementRow): void;
  /** JSON texts that may be further forms of the statements. @param limit maximum size of a statement. */
  candidates(limit: number): AsyncGenerator<CarriedBlob>;
  /** The remaining blobs, once all statements are noted. */
  blobs(): AsyncGenerator<CarriedBlob>;
}

export type ManifestForm = 'json' | 'car';

/** @throws ServiceError if the file is not a manifest in this form. */
export async function openCarrier(file: RandomAccess, form: ManifestForm): Promise<ManifestCarrier> {
  return form === 'car' ? await carCarrier(file) : jsonCarrier(await openManifest(file));
}

function jsonCarrier(manifest: ManifestFile): ManifestCarrier {
  const blobs = () => jsonBlobs(manifest);
  return {
    form: 'json',
    manifest,
    allBlobs: blobs,
    blobAt: (slice) => jsonBlobAt(manifest, slice, `byte ${slice.start}`),
    note: () => {},
    async *candidates() {},
    blobs,
  };
}

async function carCarrier(file: RandomAccess): Promise<ManifestCarrier> {
  const car = await openCarFile(file);
  const [root] = car.roots;
  if (!root || car.roots.length > 1) fail(`it has ${car.roots.length} roots instead of one`);
  const block = await findBlock(car, root);
  if (!block) fail(`it has no block for its root ${root.text}`);
  await verifyBlob(carried(block, 0));
  const manifest = await openManifest(partOf(file, block.start, block.size));
  await assertNoBlobs(manifest);
  const forms = new DigestSet();
  const isJcs = ({ cid }: CarFileBlock) => cid.codec === codecs.jcs;
  const isForm = (block: CarFileBlock) =>
    isJcs(block) && block.cid.multihash === 'blake3' && forms.has(block.cid.digest);
  return {
    form: 'car',
    manifest,
    allBlobs: () => carriedBlocks(car, () => true),
    blobAt: async ({ start, end }) => ({ size: end - start, bytes: () => chunksOf(file, start, end) }),
    note: ({ jcsCid }) => void forms.add(jcsCid.digest),
    candidates: (limit) =>
      carriedBlocks(car, (block) => isJcs(block) && block.size <= limit && !isForm(block)),
    blobs: () => carriedBlocks(car, (block) => block.cid.text !== root.text && !isForm(block)),
  };
}

async function* carriedBlocks(car: CarFile, isWanted: (block: CarFileBlock) => boolean) {
  let index = 0;
  for await (const block of car.blocks()) {
    if (isWanted(block)) yield carried(block, index);
    index += 1;
  }
}

/** Blobs inside the root would be ignored. */
async function assertNoBlobs(manifest: ManifestFile): Promise<void> {
  const { done } = await jsonBlobs(manifest).next();
  if (!done) fail('its root has "blobs", which must be blocks of the CAR instead');
}

async function findBlock(car: CarFile, { text }: Cid): Promise<CarFileBlock | undefined> {
  for await (const block of car.blocks()) if (block.cid.text === text) return block;
  return undefined;
}

function carried({ cid, start, size, bytes }: CarFileBlock, index: number): CarriedBlob {
  const slice = { start, end: start + size };
  return { place: `block ${index}, ${cid.text}`, slice, cid: () => cid, size, bytes };
}

function fail(reason: string): never {
  throw new ServiceError('invalid_request', `This CAR is not a manifest: ${reason}.`);
}
