import { parseStrictJson } from '../strict-json.ts';
import { at, placeIn, refuseAt } from './manifest-fault.ts';
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
    const place = placeIn('anchors', index);
    if (index === anchorsLimit)
      refuseAt(place, 'too_large', `More than ${anchorsLimit} anchors are not accepted.`);
    if (slice.end - slice.start > anchorLimit)
      refuseAt(place, 'too_large', `An anchor of more than ${anchorLimit} bytes is not accepted.`);
    const bytes = await json.bytes(slice);
    const anchor = at(place, () => parseStrictJson(bytes, { maxDepth: anchorDepth, exactNumbers: false }));
    if (typeof anchor !== 'object' || anchor === null || Array.isArray(anchor))
      refuseAt(place, 'invalid_request', 'An anchor must be an object.');
    const { statements } = anchor as { statements?: unknown };
    yield { place, bytes, statements: Array.isArray(statements) ? statements : [] };
    index += 1;
  }
}
