import { ServiceError } from '../../errors.ts';
import type { JsonMember, JsonSlice } from '../../json/json-cursor.ts';
import { JsonFile } from '../../json/json-file.ts';
import type { RandomAccess } from '../../json/random-access.ts';
import { parseStrictJson } from '../../json/strict-json.ts';
import { at, failAt, placeIn } from './problem.ts';

/** The only supported version (vocabulary, manifest). */
export const manifestVersion = '3';

/** The positions of the parts of a manifest in a file. */
export interface ManifestFile {
  readonly file: RandomAccess;
  readonly json: JsonFile;
  readonly statements: JsonSlice;
  readonly contexts: JsonSlice | undefined;
  readonly blobs: JsonSlice | undefined;
  readonly anchors: JsonSlice | undefined;
  /** CIDs of blobs that nothing else in the manifest names. */
  readonly attachedBlobs: JsonSlice | undefined;
  /** Whether the manifest says that it has exactly the statements of the logs that its anchors cover. */
  readonly isComplete: boolean;
}

/** Other members are ignored, but must be valid JSON. */
const partNames = new Set([
  ...['version', 'statements', 'contexts', 'blobs', 'anchors'],
  ...['attachedBlobs', 'complete'],
]);
const versionBytes = 100;
const otherBytes = 1 << 20;
const otherDepth = 64;

/**
 * Finds the parts of a manifest, in any order, without checking their content.
 * @throws ServiceError `invalid_json`, `invalid_request` if the JSON is not a manifest of version 3.
 */
export async function openManifest(file: RandomAccess): Promise<ManifestFile> {
  const json = new JsonFile(file);
  const parts = new Map<string, JsonMember>();
  for await (const member of json.outermost()) {
    if (!partNames.has(member.key)) {
      await assertJson(json, member);
      continue;
    }
    if (parts.has(member.key)) fail(`it has "${member.key}" twice`);
    parts.set(member.key, member);
  }
  await assertVersion(json, parts.get('version'));
  const part = (name: string, opening: '{' | '[') => present(json, parts.get(name), name, opening);
  const statements = await part('statements', '{');
  if (!statements) fail('it has no "statements"');
  return {
    file,
    json,
    statements,
    contexts: await part('contexts', '{'),
    blobs: await part('blobs', '{'),
    anchors: await part('anchors', '['),
    attachedBlobs: await part('attachedBlobs', '['),
    isComplete: await saysComplete(json, parts.get('complete')),
  };
}

async function assertJson(json: JsonFile, member: JsonMember): Promise<void> {
  const place = placeIn(member.key);
  if (member.end - member.start > otherBytes)
    failAt(
      place,
      'too_large',
      `A member that is not part of the manifest format may have at most ${otherBytes} bytes.`,
    );
  const bytes = await json.bytes(member);
  at(place, () => parseStrictJson(bytes, { maxDepth: otherDepth, exactNumbers: false }));
}

async function assertVersion(json: JsonFile, member: JsonMember | undefined): Promise<void> {
  if (!member) fail('it has no "version"');
  const { start, end } = member;
  const text = Buffer.from(await json.bytes({ start, end: Math.min(end, start + versionBytes) })).toString();
  if (text === `"${manifestVersion}"`) return;
  throw new ServiceError(
    'invalid_request',
    `This is a manifest of version ${text}, but only version "${manifestVersion}" is supported. Export it again with a tool that writes that version.`,
  );
}

async function saysComplete(json: JsonFile, member: JsonMember | undefined): Promise<boolean> {
  if (!member) return false;
  const { start, end } = member;
  const text = Buffer.from(await json.bytes({ start, end: Math.min(end, start + versionBytes) })).toString();
  if (text !== 'true' && text !== 'false') fail('its "complete" is neither true nor false');
  return text === 'true';
}

async function present(json: JsonFile, member: JsonMember | undefined, name: string, opening: '{' | '[') {
  if (!member) return undefined;
  const { start, end } = member;
  const begin = Buffer.from(await json.bytes({ start, end: Math.min(end, start + 4) })).toString();
  if (begin.startsWith(opening)) return member;
  if (begin === 'null' && end - start === 4) return undefined;
  fail(`its "${name}" is not an ${opening === '{' ? 'object' : 'array'}`);
}

function fail(reason: string): never {
  throw new ServiceError('invalid_request', `This is not a manifest: ${reason}.`);
}
