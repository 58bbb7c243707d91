import { extname } from 'node:path';
import { ServiceError } from '../../domain/errors.ts';
import type { ManifestForm } from '../../domain/integrity/manifest/carrier.ts';
import { JsonFile } from '../../domain/json/json-file.ts';
import type { RandomAccess } from '../../domain/json/random-access.ts';
import { openRandomAccess } from './local-files.ts';

const headBytes = 32;
/** A JSON object with one of these as its first member, or after `version`, is a manifest. Many formats start with a version. */
const firstKeys: ReadonlySet<string> = new Set(['contexts', 'statements', 'blobs', 'anchors']);

/**
 * The form of a file that looks like a manifest, otherwise undefined. Damaged manifests must be recognized too, or they
 * would be treated as unknown bytes.
 */
export async function manifestForm(path: string): Promise<ManifestForm | undefined> {
  await using file = await openRandomAccess(path);
  if (extname(path).toLowerCase() === '.car' || isCar(await file.read(0, headBytes))) return 'car';
  return (await isJsonManifest(file)) ? 'json' : undefined;
}

/** A CAR starts with the length of its header, which is CBOR with `roots` (version 1) or only `version` (2). */
function isCar(head: Uint8Array): boolean {
  return /^.{1,3}?(?:\xa2eroots|\xa1gversion)/s.test(Buffer.from(head).toString('latin1'));
}

/** Whether the file is an object that starts like a manifest, or has `statements` and no `@context`. */
async function isJsonManifest(file: RandomAccess): Promise<boolean> {
  const keys = new Set<string>();
  try {
    for await (const { key } of new JsonFile(file).outermost()) {
      if (isVersion(keys) && firstKeys.has(key)) return true;
      keys.add(key);
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
  const isCut = keys.size > 0 && isVersion(keys);
  return isCut || (keys.has('statements') && !keys.has('@context'));
}

function isVersion(keys: ReadonlySet<string>): boolean {
  return keys.isSubsetOf(new Set(['version']));
}
