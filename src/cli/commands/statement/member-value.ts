import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf } from '../../../domain/errors.ts';
import { jcs } from '../../../domain/integrity/identification/jcs.ts';
import { parseIdentifier } from '../../../domain/integrity/identifiers/identifiers.ts';
import type { Member } from '../../../domain/integrity/kinds/members.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import { identifierOrFile } from '../../client/identifier-or-file.ts';
import { failUsage } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';

/** The value of a member as it is written in a statement. A file stands for its CID, or for the JSON in it. */
export async function memberValue(io: Io, { name, file }: Member, text: string): Promise<unknown> {
  if (file === 'json') return await jsonIn(io, name, text);
  if (file === 'base64') return Buffer.from(jcs(await jsonIn(io, name, text))).toString('base64');
  if (file === 'cid' && !/^(?:urn|did):/.test(text)) return await identifierOrFile(io, text);
  return identifierIn(text) ?? text;
}

function identifierIn(text: string): string | undefined {
  try {
    return parseIdentifier(text);
  } catch {
    return undefined;
  }
}

async function jsonIn(io: Io, name: string, text: string): Promise<unknown> {
  const bytes = text.startsWith('{') ? Buffer.from(text) : await readFile(resolve(io.cwd, text));
  try {
    return parseStrictJson(bytes, { maxDepth: 64, exactNumbers: true });
  } catch (error) {
    failUsage(`${name} must be a file with JSON, or JSON: ${messageOf(error)}`);
  }
}
