import { codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import { hasher, type MultihashName } from '../../../domain/integrity/identifiers/hashing.ts';
import { linesOf } from '../../client/lines.ts';
import { fileChunks } from '../../client/local-files.ts';
import type { LocalIdentifier } from '../../client/local-identifier.ts';
import type { ExpectedCids } from './expected-cids.ts';
import { assertJsonWhereNamed, fileForm, statementLimit } from './file-form.ts';
import type { Report } from './report.ts';
import { verifyStatement } from './verify-statement.ts';

/**
 * Verifies a file offline: a statement, statements line by line, or a blob. For a file of lines the last report compares
 * the whole file with the expected CIDs, if there are any.
 * @throws Failure (usage) if a context is not known.
 */
export async function* verifyFile(
  path: string,
  identifier: LocalIdentifier,
  expected: ExpectedCids,
): AsyncGenerator<Report> {
  const file = await fileForm(path);
  if (file.form === 'blob' && expected.count === 0) await assertJsonWhereNamed(path);
  if (file.form === 'blob') return yield await verifyBlob(path, fileChunks(path), expected);
  if (file.form === 'lines') return yield* verifyLines(path, identifier, expected);
  const report = await verifyStatement({ name: path, bytes: file.bytes }, identifier, expected);
  // A CID of the bytes counts, too.
  if (expected.unmatched.length > 0) await verifyBlob(path, fileChunks(path), expected);
  yield expected.comparedIn(report);
}

async function* verifyLines(path: string, identifier: LocalIdentifier, expected: ExpectedCids) {
  const lines = linesOf(fileChunks(path), { offset: 0, lines: 0 }, statementLimit);
  for await (const { number: line, bytes } of lines) {
    if (bytes && Buffer.from(bytes).toString().trim() === '') continue;
    if (bytes) yield await verifyStatement({ name: path, line, bytes }, identifier, expected);
    else yield tooLong(path, line);
  }
  if (expected.count > 0) yield await verifyBlob(path, fileChunks(path), expected);
}

function tooLong(name: string, line: number): Report {
  const reason = `the line has more than ${statementLimit} bytes, so it is not a statement`;
  return { name, line, kind: 'statement', cids: {}, compared: 1, uncovered: [], problems: [{ reason }] };
}

export async function verifyBlob(
  name: string,
  bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  expected: ExpectedCids,
): Promise<Report> {
  const wanted = new Set<MultihashName>(expected.unmatched.map(({ multihash }) => multihash));
  if (wanted.size === 0) wanted.add('blake3');
  const hashes = [...wanted].map((multihash) => ({ multihash, hash: hasher(multihash) }));
  for await (const chunk of bytes) for (const { hash } of hashes) hash.update(chunk);
  const cids = hashes.map(({ multihash, hash }) => makeCid(codecs.raw, hash.digest(), multihash));
  for (const cid of cids) expected.matchBlob(cid);
  const named = Object.fromEntries(
    cids.map(({ multihash, text }) => [multihash === 'blake3' ? 'cid' : 'sha256_cid', text]),
  );
  return expected.comparedIn({ name, kind: 'blob', cids: named, compared: 0, uncovered: [], problems: [] });
}
