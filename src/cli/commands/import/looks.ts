import { isUtf16, packingOf } from '../../../domain/integrity/evidence/file-form.ts';
import { looksLikeDvcLock } from '../../../domain/integrity/evidence/training/dvc-lock.ts';
import { openRandomAccess } from '../../client/local-files.ts';

const headBytes = 4_096;

/** Why a file is neither a manifest nor evidence, as far as its first bytes tell; undefined if it may be. */
export async function looksUnlike(path: string): Promise<string | undefined> {
  await using file = await openRandomAccess(path);
  const head = Buffer.from(await file.read(0, headBytes));
  if (head.length === 0) return 'It is empty.';
  const packing = packingOf(head);
  if (packing) return `It looks compressed (${packing}). Decompress it first.`;
  if (isUtf16(head)) return 'It is in UTF-16. Write it in UTF-8.';
  const text = head.toString('utf8').trimStart();
  // What "gh attestation verify" prints.
  const isOfAttestations = /^\[\s*\{\s*"attestation"/.test(text);
  if (text.startsWith('[') && !isOfAttestations)
    return "It is a JSON list. Send its elements, one per line: jq -c '.[]' FILE > lines.jsonl";
  if (text.startsWith('SPDXVersion:')) return 'It is SPDX as tags and values. Write it as JSON.';
  if (isOwnStatement(text))
    return `It looks like a statement. Store it with "cairn ingest ${path}", one per line.`;
  const isText = isOfAttestations || text.startsWith('{') || text.startsWith('<') || looksLikeDvcLock(head);
  return isText
    ? undefined
    : 'It is neither JSON, nor XML, nor a dvc.lock, nor a CAR. Store it as a blob with "cairn put".';
}

function isOwnStatement(text: string): boolean {
  return /^\{[^{}]*"@type"\s*:\s*"\w+Registration"/.test(text);
}
