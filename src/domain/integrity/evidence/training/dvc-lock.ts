import { z } from 'zod';
import { isObject, type JsonObject } from '../../../json/is-object.ts';
import { decodeUtf8, parseStrictJson } from '../../../json/strict-json.ts';
import { type Evidence, type EvidenceKind, EvidenceProblem, type Step, type Thing } from '../evidence.ts';
import { asFormat } from '../shaped.ts';

const text = z.string().min(1);
/** A hash, which may be that of a folder. */
const md5 = z.string().regex(/^[0-9a-f]{32}(?:\.dir)?$/, { error: 'must be an MD5 digest in hex' });
const file = z.object({
  path: text,
  md5: md5.optional(),
  etag: z.unknown().optional(),
  checksum: z.unknown().optional(),
  version_id: z.unknown().optional(),
});
const stage = z.object({
  cmd: z.union([text, z.array(text).min(1)], { error: 'must be a command, or a list of commands' }),
  deps: z.array(file).nullish(),
  outs: z.array(file).nullish(),
  params: z.record(z.string(), z.custom<JsonObject>(isObject, 'must be an object')).nullish(),
});
const shape = z.object({ stages: z.record(z.string(), stage) });

/** `dvc.lock` of schema 2.0, and of 1.0 before it, as DVC writes it after its stages have succeeded. */
export const dvcLock: EvidenceKind = {
  name: 'dvc.lock',
  title: 'dvc.lock',
  recognises: ({ schema, stages }) => schema === '2.0' && stages !== undefined,
  parse,
  read,
};

/** Larger files are no lock files, and YAML is slow. */
const largest = 4 << 20;
/** DVC writes the schema first. The first stage of schema 1.0 begins with its command. A `dvc.yaml` begins with its stages. */
const start = /^\uFEFF?(?:\s*(?:#.*|---)?\r?\n)*(?:schema:\s*['"]?2\.0|[^\s:{[]+:\r?\n\s+cmd:)/;

export function looksLikeDvcLock(head: Uint8Array): boolean {
  return start.test(Buffer.from(head.subarray(0, 4_096)).toString());
}

/** The content of a file that begins like `dvc.lock`. */
async function parse(bytes: Uint8Array): Promise<JsonObject | undefined> {
  if (!looksLikeDvcLock(bytes)) return undefined;
  if (bytes.length > largest) throw new EvidenceProblem(`A dvc.lock has at most ${largest} bytes.`);
  const json = Buffer.from(await jsonOf(decodeUtf8(bytes)));
  const document = parseStrictJson(json, { maxDepth, exactNumbers: false });
  if (!isObject(document)) return undefined;
  return dvcLock.recognises(document) ? document : inSecondSchema(document);
}

const maxDepth = 64;

/** Tags of values that JSON does not have are left out. */
const yamlOptions = { maxAliasCount: 100, resolveKnownTags: false, logLevel: 'error' } as const;

async function jsonOf(yaml: string): Promise<string> {
  const { parse: parseYaml } = await import('yaml');
  try {
    return JSON.stringify(parseYaml(yaml, yamlOptions), asJson) ?? 'null';
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split('\n') : [];
    throw new EvidenceProblem(`The YAML is broken: ${reason}`);
  }
}

/** JSON has no NaN and no Infinity, which parameters may be. */
function asJson(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

/** Schema 1.0 has the stages alone. @returns undefined for another document. */
function inSecondSchema(stages: JsonObject): JsonObject | undefined {
  const isOfStages = Object.values(stages).every(
    (one) => isObject(one) && 'cmd' in one && ('deps' in one || 'outs' in one),
  );
  return isOfStages ? { schema: '2.0', stages } : undefined;
}

function read(document: JsonObject): Evidence {
  const stages = Object.entries(asFormat('DVC', shape, document).stages);
  return { about: [], steps: stages.map(([name, parts]) => stepOf(name, parts)) };
}

function stepOf(name: string, { cmd, deps, outs, params }: z.output<typeof stage>): Step {
  return {
    inputs: (deps ?? []).map(thingOf),
    outputs: (outs ?? []).map(thingOf),
    parameters: Object.entries(params ?? {}).map(([path, values]) => ({ path, values })),
    // DVC writes a stage only if its commands have succeeded.
    facts: { name, command: [[cmd].flat().join(' && ')], exit_code: 0 },
  };
}

/** Files and folders meet other stages by their hashes. What has none is told apart by its path. */
function thingOf({ path, md5: hash, etag, checksum, version_id }: z.output<typeof file>): Thing {
  if (hash?.endsWith('.dir')) return { name: path, reference: { namespace: 'md5', name: hash } };
  if (hash) return { name: path, digests: { md5: hash } };
  const version = [version_id, etag, checksum].find((one) => typeof one === 'string');
  return {
    name: path,
    reference: { namespace: 'dvc', name: path, ...(version !== undefined && { version }) },
  };
}
