import { extname } from 'node:path';
import { isObject } from '../../../domain/json/is-object.ts';
import { decodeUtf8 } from '../../../domain/json/strict-json.ts';
import { linesOf } from '../../client/lines.ts';
import { fileChunks, openRandomAccess } from '../../client/local-files.ts';
import { failNo } from '../../terminal/failure.ts';

export type FileForm =
  | { readonly form: 'statement'; readonly bytes: Uint8Array }
  | { readonly form: 'lines' }
  | { readonly form: 'blob' };

/** Maximum bytes of a statement or a line. */
export const statementLimit = 16 << 20;
const lineNames = new Set(['.ndjson', '.jsonl']);

/** Detects whether a file is one statement, one statement per line, or a blob. */
export async function fileForm(path: string): Promise<FileForm> {
  if (lineNames.has(extname(path).toLowerCase())) return { form: 'lines' };
  const bytes = await readUpTo(path, statementLimit);
  if (bytes && isStatement(bytes)) return { form: 'statement', bytes };
  return (await isFirstLineStatement(path)) ? { form: 'lines' } : { form: 'blob' };
}

/** A damaged statement or manifest must not pass as an unknown blob. @throws Failure (no). */
export async function assertJsonWhereNamed(path: string): Promise<void> {
  if (extname(path).toLowerCase() !== '.json') return;
  const bytes = await readUpTo(path, statementLimit);
  if (bytes && !isJson(bytes))
    failNo(`${path} is not valid JSON, so nothing in it can be verified. It may be damaged.`);
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(decodeUtf8(bytes));
    return true;
  } catch {
    return false;
  }
}

/** Undefined if the file is longer. */
export async function readUpTo(path: string, limit: number): Promise<Uint8Array | undefined> {
  await using file = await openRandomAccess(path);
  return file.size > limit ? undefined : await file.read(0, file.size);
}

async function isFirstLineStatement(path: string): Promise<boolean> {
  for await (const { bytes } of linesOf(fileChunks(path), { offset: 0, lines: 0 }, statementLimit)) {
    if (!bytes) return false;
    if (Buffer.from(bytes).toString().trim() !== '') return isStatement(bytes);
  }
  return false;
}

/** A document with only `@context` is a context, not a statement. */
function isStatement(bytes: Uint8Array): boolean {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return isObject(value) && Object.hasOwn(value, '@context') && Object.keys(value).length > 1;
  } catch {
    return false;
  }
}
