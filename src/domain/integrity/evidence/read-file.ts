import { type Cid, cidOf, codecs } from '../identifiers/cid.ts';
import type { EvidenceKind } from './evidence.ts';
import type { EvidenceReader, ReadEvidence } from './reading.ts';

export interface ReadFile extends ReadEvidence {
  readonly bytes: Uint8Array;
  readonly blob: Cid;
}

/** @throws ServiceError `invalid_evidence`, `invalid_json`, `too_deep`. */
export async function readFile(
  bytes: Uint8Array,
  reader: EvidenceReader,
  kind: EvidenceKind | undefined,
): Promise<ReadFile> {
  return { bytes, blob: cidOf(codecs.raw, bytes), ...(await reader.read(bytes, kind?.name)) };
}
