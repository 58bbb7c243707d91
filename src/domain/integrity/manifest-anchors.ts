import { ServiceError } from '../errors.ts';
import { jsonPointer, parseStrictJson } from '../strict-json.ts';
import type { ManifestFile } from './manifest-file.ts';
import { anchorLimit } from './manifest-json.ts';

/** An anchor record of a manifest: a proof that statements were published. */
export interface CarriedAnchor {
  readonly place: string;
  readonly bytes: Uint8Array;
  /** Statements that it names, and statements that stand in it. */
  readonly statements: readonly unknown[];
}

const anchorsLimit = 100_000;
const anchorDepth = 64;

/** @throws ServiceError `invalid_request`, `invalid_json`, `too_large`. */
export async function* carriedAnchors({ json, anchors }: ManifestFile): AsyncGenerator<CarriedAnchor> {
  if (!anchors) return;
  let index = 0;
  for await (const slice of json.elements(anchors)) {
    const place = jsonPointer(['anchors', index]);
    if (index === anchorsLimit)
      refuse(place, `more than ${anchorsLimit} anchors are not accepted`, 'too_large');
    if (slice.end - slice.start > anchorLimit)
      refuse(place, `an anchor of more than ${anchorLimit} bytes is not accepted`, 'too_large');
    const bytes = await json.bytes(slice);
    const anchor = parseStrictJson(bytes, { maxDepth: anchorDepth, exactNumbers: false });
    if (typeof anchor !== 'object' || anchor === null || Array.isArray(anchor))
      refuse(place, 'an anchor must be an object');
    const { statements } = anchor as { statements?: unknown };
    yield { place, bytes, statements: Array.isArray(statements) ? statements : [] };
    index += 1;
  }
}

function refuse(
  place: string,
  reason: string,
  code: 'invalid_request' | 'too_large' = 'invalid_request',
): never {
  throw new ServiceError(code, `At "${place}": ${reason}.`, { details: [{ pointer: place, reason }] });
}
