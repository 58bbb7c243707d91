import { manifestForm } from '../cli/client/manifest-form.ts';
import { isReceiptFile } from '../cli/client/receipts.ts';
import { readUpTo } from '../cli/commands/verify/file-form.ts';
import { credentialIn } from '../cli/commands/verify/verify-credential.ts';
import { listOf } from '../domain/integrity/credentials/credential-shape.ts';
import { isObject } from '../domain/json/is-object.ts';
import { parsePolicy } from '../domain/log/notes/policy.ts';
import { parseVkey } from '../domain/log/notes/vkey.ts';

/** What a dropped file is for. */
export type Role =
  | 'manifest'
  | 'credential'
  | 'receipt'
  | 'status list'
  | 'key'
  | 'log key'
  | 'log policy'
  | 'policy'
  | 'other';

/** The limit of keys and policies. */
const smallBytes = 1 << 20;

export async function roleOf(path: string): Promise<Role> {
  const credential = await credentialIn(path);
  if (credential) return listOf(credential.type).some(isListType) ? 'status list' : 'credential';
  if (await isReceiptFile(path)) return 'receipt';
  const bytes = await readUpTo(path, smallBytes);
  const role = bytes && smallRole(Buffer.from(bytes).toString());
  if (role) return role;
  return (await manifestForm(path)) ? 'manifest' : 'other';
}

const isListType = (type: unknown) => /^(?:BitstringStatusList|StatusList2021)Credential$/.test(String(type));

function smallRole(text: string): Role | undefined {
  if (/^\s*[{,]?\s*["']?cairn["']?\s*:\s*["']?policy\//m.test(text)) return 'policy';
  if (isKey(text)) return 'key';
  const words = text.trim().split(/\s+/);
  if (words.every((word) => isGood(() => parseVkey(word)))) return 'log key';
  const isPolicy =
    /^(?:log|witness|group|quorum)\s/m.test(text) && isGood(() => parsePolicy(Buffer.from(text)));
  return isPolicy ? 'log policy' : undefined;
}

/** A JWK, a JWK Set or a DID document. */
function isKey(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return false;
    const isDocument = String(value.id).startsWith('did:') && Array.isArray(value.verificationMethod);
    return typeof value.kty === 'string' || Array.isArray(value.keys) || isDocument;
  } catch {
    return false;
  }
}

function isGood(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}
