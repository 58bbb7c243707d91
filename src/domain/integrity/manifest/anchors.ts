import { isObject } from '../../json/is-object.ts';
import { parseStrictJson } from '../../json/strict-json.ts';
import type { ClosedWorld } from '../ports.ts';
import type { StatementChecking } from './check.ts';
import type { ManifestFile } from './file.ts';
import { at, failAt, type ManifestProblem, placeIn } from './problem.ts';
import { anchorLimit } from './writing.ts';

/** An anchor record: a proof that statements were published. */
export interface CarriedAnchor {
  readonly place: string;
  readonly bytes: Uint8Array;
  /** Identifiers of statements, and embedded statements. */
  readonly statements: readonly unknown[];
  /** Where the proof is. */
  readonly locations: readonly unknown[];
}

const anchorsLimit = 100_000;
const anchorDepth = 64;

/** @throws ServiceError `invalid_request`, `invalid_json`, `too_large`. */
export async function* carriedAnchors({ json, anchors }: ManifestFile): AsyncGenerator<CarriedAnchor> {
  if (!anchors) return;
  let index = 0;
  for await (const slice of json.elements(anchors)) {
    const place = placeIn('anchors', index);
    if (index === anchorsLimit) failAt(place, 'too_large', `At most ${anchorsLimit} anchors are accepted.`);
    if (slice.end - slice.start > anchorLimit)
      failAt(place, 'too_large', `An anchor may have at most ${anchorLimit} bytes.`);
    const bytes = await json.bytes(slice);
    const anchor = at(place, () => parseStrictJson(bytes, { maxDepth: anchorDepth, exactNumbers: false }));
    if (!isObject(anchor)) failAt(place, 'invalid_request', 'An anchor must be an object.');
    const { statements, locations } = anchor;
    yield { place, bytes, statements: listIn(statements), locations: listIn(locations) };
    index += 1;
  }
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Recomputes the ids of the embedded statements of an anchor. */
export async function checkAnchor(
  { identifier }: Pick<StatementChecking, 'identifier'>,
  { place, statements }: CarriedAnchor,
  world: ClosedWorld,
): Promise<{ readonly problems: readonly ManifestProblem[]; readonly contexts: ReadonlySet<string> }> {
  const indexes = [...statements.keys()].filter(
    (index) => typeof statements[index] === 'object' && statements[index],
  );
  const texts = indexes.map((index) => Buffer.from(JSON.stringify(statements[index])));
  let end = 0;
  const ranges = texts.flatMap(({ length }) => {
    end += length;
    return [end - length, end];
  });
  const problems: ManifestProblem[] = [];
  const contexts = new Set<string>();
  const results = await identifier.identifyUnder(Buffer.concat(texts), ranges, world);
  for (const [at, result] of results.entries()) {
    if ('error' in result)
      problems.push({ place: anchoredPlace(place, indexes[at] ?? 0), error: result.error });
    else for (const url of Object.keys(JSON.parse(result.row.contexts.text))) contexts.add(url);
  }
  return { problems, contexts };
}

export function anchoredPlace(place: string, index: number): string {
  return `${place}/statements/${index}`;
}
