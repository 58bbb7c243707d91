import { isXml } from '../../../domain/integrity/evidence/file-form.ts';
import { evidenceKinds } from '../../../domain/integrity/evidence/kinds.ts';
import { hasJsonLines, linesOf } from '../../../domain/integrity/evidence/lines.ts';
import { looksLikeDvcLock } from '../../../domain/integrity/evidence/training/dvc-lock.ts';
import { isObject } from '../../../domain/json/is-object.ts';
import { openRandomAccess } from '../../client/local-files.ts';

/** Of a larger file, the members at its start tell. */
const headBytes = 8 << 20;
const linesLooked = 100;

/** Members by which formats are known, for documents that are broken or not whole. */
const members =
  /"(?:_type|bomFormat|eventTime|mediaType|payloadType|predicateType|provenance_summary|signed|spdxVersion|verificationMaterial)"\s*:|spdx\.org\/rdf/;
const xmlNamespace = 'http://cyclonedx.org/schema/bom/';

/** Whether a file is evidence, or meant to be, as far as can be seen without the service. */
export async function isEvidence(path: string): Promise<boolean> {
  await using file = await openRandomAccess(path);
  const head = Buffer.from(await file.read(0, headBytes));
  if (isXml(head)) return head.includes(xmlNamespace);
  if (looksLikeDvcLock(head)) return true;
  const isWhole = file.size <= head.length;
  const texts = hasJsonLines(head)
    ? linesOf(head)
        .take(linesLooked)
        .map(({ bytes }) => Buffer.from(bytes).toString())
        .toArray()
    : [head.toString()];
  return texts.some((text) => {
    const document = isWhole || texts.length > 1 ? parsed(text) : undefined;
    if (Array.isArray(document)) return true;
    return isObject(document) ? evidenceKinds.some((kind) => kind.recognises(document)) : members.test(text);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}
