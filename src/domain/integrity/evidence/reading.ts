import { ServiceError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import { parseStrictJson } from '../../json/strict-json.ts';
import { blake3Digest } from '../identifiers/hashing.ts';
import { mayBeObject } from '../names/name.ts';
import { type Evidence, EvidenceProblem } from './evidence.ts';
import { isList, isUtf16, isXml, packingOf, withoutMark } from './file-form.ts';
import { asEvidenceError, evidenceKinds, kindOf } from './kinds.ts';
import { withImageDigests } from './sbom/image-digests.ts';

/** What a file says, and the name of its format. */
export interface ReadEvidence {
  readonly kind: string;
  readonly evidence: readonly Evidence[];
}

/** Reads files of evidence, large ones apart from what answers requests. */
export interface EvidenceReader {
  /**
   * @param kind the name of the only format that is taken. Default: any.
   * @throws ServiceError such as `invalid_evidence`, with the reason and its place.
   */
  read(file: Uint8Array, kind?: string): Promise<ReadEvidence>;
}

/** What needs more than the reader of a format. The libraries are large, so they load when the first file needs them. */
export interface FormatLibraries {
  /** The document in XML, in the form that it has as JSON. @throws EvidenceProblem. */
  fromXml(file: Uint8Array, maxDepth: number): Promise<JsonObject>;
  /** @throws EvidenceProblem if a document, or the XML that it comes from, does not follow an official schema. */
  assertFollows(schema: string, document: JsonObject, xml: Uint8Array | null): Promise<void>;
}

/** Whether a file needs none of the libraries, as far as its start tells. */
export function isPlainJson(file: Uint8Array): boolean {
  return mayBeObject(file) && !Buffer.from(file.buffer, file.byteOffset, file.length).includes('"bomFormat"');
}

/** What a file of any kind says. @throws ServiceError as `EvidenceReader`. */
export async function readEvidence(
  file: Uint8Array,
  maxDepth: number,
  libraries: FormatLibraries,
  only?: string,
): Promise<ReadEvidence> {
  if (file.length === 0) throw new ServiceError('invalid_json', 'The file is empty.');
  if (isUtf16(file)) throw new ServiceError('invalid_json', 'The file is in UTF-16. Write it in UTF-8.');
  const packing = packingOf(file);
  if (packing !== undefined)
    throw new ServiceError('invalid_json', `The file looks compressed (${packing}). Decompress it first.`);
  const xml = isXml(file) && only === undefined ? file : null;
  const document = await asEvidenceError(() =>
    xml ? libraries.fromXml(xml, maxDepth) : documentOf(withoutMark(file), maxDepth, only),
  );
  const kind = evidenceKinds.find(({ name }) => name === only) ?? kindOf(document);
  const evidence = await asEvidenceError(async () => {
    const schema = kind.schema?.(document);
    if (schema !== undefined) await libraries.assertFollows(schema, document, xml);
    const blake3 = Buffer.from(blake3Digest(file)).toString('hex');
    const read = [await kind.read(document, blake3)].flat().map(withImageDigests);
    assertFew(read);
    return await Promise.all(read.map((one) => asItsParts(one, libraries)));
  });
  return { kind: kind.name, evidence };
}

/** The statements of more would take minutes and gigabytes of memory. */
const mostSaid = 300_000;

function assertFew(read: readonly Evidence[]): void {
  const count = read.reduce((sum, one) => sum + countOf(one), 0);
  if (count <= mostSaid) return;
  const message = `The file says ${count} things. At most ${mostSaid} are taken. Split it.`;
  throw new ServiceError('too_complex', message);
}

function countOf({ about, steps = [], wholes = [], descriptions = [] }: Evidence): number {
  return about.length + steps.length + wholes.length + descriptions.length;
}

/** @throws EvidenceProblem for a part in another format that does not follow its schema. */
async function asItsParts(
  { follows, ...evidence }: Evidence,
  { assertFollows }: FormatLibraries,
): Promise<Evidence> {
  if (!follows) return evidence;
  const { schema, document, place } = follows;
  try {
    await assertFollows(schema, document, null);
  } catch (error) {
    throw error instanceof EvidenceProblem ? new EvidenceProblem(error.message, place + error.place) : error;
  }
  return evidence;
}

async function documentOf(file: Uint8Array, maxDepth: number, only: string | undefined): Promise<JsonObject> {
  if (only === undefined && !mayBeObject(file)) {
    for (const kind of evidenceKinds) {
      const document = await kind.parse?.(file);
      if (document) return document;
    }
    if (!isList(file)) {
      const words =
        'The file is neither JSON nor XML. If its format has a notation in JSON, convert it to that.';
      throw new ServiceError('invalid_json', words);
    }
  }
  const document = parseStrictJson(file, { maxDepth, exactNumbers: false });
  if (isObject(document)) return document;
  const words =
    only === undefined
      ? 'Evidence in JSON is an object. Send the elements of a list one per line, as JSON lines.'
      : 'An event is a JSON object. A list of events goes to /api/v1/lineage/batch.';
  throw new ServiceError('invalid_evidence', words);
}
