import { openRandomAccess } from '../../client/random-access-file.ts';
import { failUsage } from '../../terminal/failure.ts';
import { fileForm, isJson, readUpTo, statementLimit } from '../verify/file-form.ts';

const packed: readonly (readonly [string, string])[] = [
  ['1f8b', 'gzip'],
  ['28b52ffd', 'zstd'],
  ['504b0304', 'zip'],
];

/** Says what a file that is not a manifest looks like. @throws Failure (usage). */
export async function throwNotAManifest(path: string): Promise<never> {
  failUsage(`${path} is not a manifest. ${await looks(path)}`);
}

async function looks(path: string): Promise<string> {
  const head = await firstBytes(path);
  if (head === '') return 'It is empty.';
  const [, packing] = packed.find(([magic]) => head.startsWith(magic)) ?? [];
  if (packing) return `It looks compressed (${packing}). Decompress it first.`;
  const { form } = await fileForm(path);
  const ingest = `with "cairn ingest ${path}".`;
  if (form === 'statement')
    return `It looks like a statement. Store it ${ingest} It must be on one line: "jq -c . ${path}".`;
  if (form === 'lines') return `It looks like statements, one per line. Store them ${ingest}`;
  const bytes = await readUpTo(path, statementLimit);
  if (bytes && isJson(bytes)) return 'It is JSON without the members of a manifest (version, statements).';
  return 'It is neither JSON nor a CAR. Store it as a blob with "cairn put".';
}

async function firstBytes(path: string): Promise<string> {
  await using file = await openRandomAccess(path);
  return Buffer.from(await file.read(0, 4)).toString('hex');
}
