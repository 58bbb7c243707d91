import { encodeCollection } from '../../blobs/iroh-collection.ts';
import { cidOf, cidUrn, codecs } from '../../identifiers/cid.ts';
import type { FolderOfFiles, Thing } from '../evidence.ts';
import { gitPaths, onlyFile, type SignedModel, shardOf } from './signed-model.ts';

/** Where the digest of all files of a model means something. */
const namespace = 'https://model_signing';

/** What is signed: a file, the collection of files that are known by BLAKE3, or a reference to the model. */
export function modelThing(model: SignedModel): Thing {
  const { name, resources, serialization, root } = model;
  const { hash, shardSize } = serialization;
  const only = onlyDigest(model);
  if (only !== undefined) return { name, digests: { [hash]: only } };
  if (hash !== 'blake3' || shardSize !== null) return { name, reference: { namespace, name: root } };
  const entries = [...resources].map(([path, digest]) => ({
    name: path,
    digest: Buffer.from(digest, 'hex'),
  }));
  const collection = encodeCollection(entries);
  return { name, id: cidUrn(cidOf(codecs.hashSequence, collection.root)) };
}

/** The digest of a model that is one file. */
export function onlyDigest({ resources, serialization: { shardSize } }: SignedModel): string | undefined {
  return resources.size === 1 && shardSize === null ? resources.get(onlyFile) : undefined;
}

/** The files of a model. Those that were hashed in several shards have no digest. */
export function modelFolder(model: SignedModel): FolderOfFiles {
  const { resources, serialization } = model;
  const { hash, shardSize, ignorePaths } = serialization;
  const files = new Map<string, Record<string, string>>();
  for (const [name, digest] of resources) {
    const shard = shardSize === null ? undefined : shardOf(name);
    const path = shard?.path ?? name;
    files.set(path, files.has(path) || (shard && shard.start > 0) ? {} : { [hash]: digest });
  }
  return {
    folder: modelThing(model),
    files: Object.fromEntries(files),
    ignored: [...gitPaths, ...ignorePaths],
  };
}
