import pMap from 'p-map';
import { everythingVisible } from '../../access/visibility.ts';
import { isObject } from '../../json/is-object.ts';
import { type CredentialRecords, credentialKey, issuedKey } from '../credentials/credential-records.ts';
import { listOf } from '../credentials/credential-shape.ts';
import { isEntryOf } from '../credentials/own-status.ts';
import { standingOf } from '../credentials/status.ts';
import {
  entryId,
  parseStatusListUrl,
  purposes,
  type StatusEntries,
  type StatusEntry,
} from '../credentials/status-entries.ts';
import { issuerOf } from '../credentials/verify-credential.ts';
import { parseCid } from '../identifiers/cid.ts';
import type { StatementStore } from '../ports.ts';
import type { Signature } from './signatures.ts';
import type { CredentialStanding } from './trust.ts';

export interface StandingPorts {
  readonly statusEntries: Pick<StatusEntries, 'among'>;
  readonly credentials: Pick<CredentialRecords, 'get'>;
  readonly statements: Pick<StatementStore, 'byJcsCid'>;
  /** The DIDs of this service. */
  readonly ownDids: ReadonlySet<string>;
}

const readAtOnce = 8;

/**
 * The standing of the credentials of signatures, by `credentialCid`. Those without status entries of their own
 * here are absent.
 */
export async function signatureStandings(
  ports: StandingPorts,
  signatures: readonly Signature[],
): Promise<Map<string, CredentialStanding>> {
  const byCid = new Map(signatures.map((one) => [one.credentialCid ?? '', one]));
  const credentials = [...byCid.values()].filter(
    ({ credentialId, credentialCid }) => credentialId !== null && credentialCid !== null,
  );
  const keys = credentials.flatMap(keysOf);
  const found = await ports.statusEntries.among('byCredential', keys, purposes.length);
  const standings = new Map<string, CredentialStanding>();
  const keep = ({ credentialCid }: Signature, own: readonly StatusEntry[]) => {
    if (own.length > 0) standings.set(String(credentialCid), standingOf(own));
  };
  const allocated: (readonly [Signature, readonly StatusEntry[]])[] = [];
  for (const [at, one] of credentials.entries()) {
    const [ofId = [], issued = []] = found.slice(2 * at, 2 * at + 2);
    // Nobody but this service signs with its key, and it signs each credential with its own entries.
    if (issued.length > 0) keep(one, issued);
    else if (ofId.length > 0) allocated.push([one, ofId]);
  }
  const readOwn = async ([one, entries]: (typeof allocated)[number]) =>
    keep(one, await ownEntries(ports, entries, one));
  await pMap(allocated, readOwn, { concurrency: readAtOnce });
  return standings;
}

/** Under which the entries of a credential may be kept. */
function keysOf({ credentialId, signer }: Signature): [allocated: string, issued: string] {
  const id = credentialId ?? '';
  return [credentialKey(id), issuedKey(signer ?? '', id)];
}

/** Of the entries that were allocated for an id, those of the credential that was signed. */
async function ownEntries(
  { credentials, statements, ownDids }: StandingPorts,
  entries: readonly StatusEntry[],
  { credentialId, signer, carrier }: Signature,
): Promise<readonly StatusEntry[]> {
  const allocated = await credentials.get(credentialKey(credentialId ?? ''));
  const isOwn = allocated && allocated.sourceCid !== null && ownDids.has(signer ?? '');
  if (isOwn && issuerOf(JSON.parse(allocated.text)) === signer) return entries;
  const row = await statements.byJcsCid(parseCid(carrier), everythingVisible);
  const { credential } = row ? JSON.parse(Buffer.from(row.jcs).toString()) : {};
  if (!isObject(credential)) return [];
  const named = new Set(listOf(credential.credentialStatus).map(namedEntry));
  const own: StatusEntry[] = [];
  for (const entry of entries)
    if (named.has(entry.id) && (await isEntryOf(credentials, entry, credential))) own.push(entry);
  return own;
}

/** The id of the entry of a list of ours that an entry in a credential names. */
function namedEntry(entry: unknown): string | undefined {
  const { statusListCredential: url, statusListIndex: index } = isObject(entry) ? entry : {};
  const list = parseStatusListUrl(String(url));
  return list && entryId(list.id, Number(index));
}
