import { callerKey, type Principal } from '../../access/access.ts';
import { firstRecord } from '../../collections/records.ts';
import { ServiceError } from '../../errors.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { storeBytes } from '../blobs/upload.ts';
import { jcs } from '../identification/jcs.ts';
import { type Cid, cidOf, codecs } from '../identifiers/cid.ts';
import type { BlobStore } from '../ports.ts';
import { type GovernanceDocuments, governanceId } from './governance-records.ts';

type DocumentKind = 'subject' | 'policy';

export interface DocumentPorts {
  /** The blob store for the requests of one caller, as `callerKey` names them. */
  readonly blobsOf: (caller: string) => Pick<BlobStore, 'stage'>;
  readonly governanceDocuments: Pick<GovernanceDocuments, 'insert' | 'page'>;
  readonly now: () => Date;
}

/** Stores JSON in its RFC 8785 form. @returns its JCS CID. */
export async function storeDocument(
  { blobsOf }: Pick<DocumentPorts, 'blobsOf'>,
  principal: Principal,
  document: JsonObject,
): Promise<Cid> {
  const text = new TextEncoder().encode(jcs(document));
  const cid = cidOf(codecs.jcs, text);
  await storeBytes(blobsOf(callerKey(principal)), text, cid);
  return cid;
}

/** Registers the document of a subject. Idempotent. @returns its CID. */
export async function registerSubject(
  ports: DocumentPorts,
  principal: Principal,
  subject: JsonObject,
): Promise<string> {
  const { text: cid } = await storeDocument(ports, principal, subject);
  await remember(ports, principal, { kind: 'subject', cid, controlCids: [] });
  return cid;
}

/** Registers a policy with its controls. Idempotent. */
export async function registerPolicy(
  ports: DocumentPorts,
  principal: Principal,
  { policy, controls }: { readonly policy: JsonObject; readonly controls: readonly JsonObject[] },
): Promise<{ policyCid: string; controlCids: string[] }> {
  const controlCids: string[] = [];
  for (const control of controls) controlCids.push((await storeDocument(ports, principal, control)).text);
  const { text: policyCid } = await storeDocument(ports, principal, policy);
  await remember(ports, principal, { kind: 'policy', cid: policyCid, controlCids });
  return { policyCid, controlCids };
}

async function remember(
  { governanceDocuments, now }: DocumentPorts,
  { issuer, subject }: Principal,
  document: { kind: DocumentKind; cid: string; controlCids: string[] },
): Promise<void> {
  const { kind, cid, controlCids } = document;
  const id = governanceId(kind, cid, controlCids.toSorted());
  const [caller, createdAt] = [{ issuer, subject }, now().getTime()];
  await governanceDocuments.insert([{ id, ...document, caller, createdAt }]);
}

const advice = {
  subject: 'Send its document to POST /gov/v1/cid/subject first',
  policy: 'Send it to POST /gov/v1/cid/policy first',
};

type Registered = { readonly governanceDocuments: Pick<GovernanceDocuments, 'page'> };

/** Whether a document was registered here. */
export async function isRegistered(
  { governanceDocuments }: Registered,
  kind: DocumentKind,
  { text }: Cid,
): Promise<boolean> {
  return (await firstRecord(governanceDocuments, 'byCid', [kind, text])) !== undefined;
}

/** @throws ServiceError `invalid_request` if the document was not registered here. */
export async function assertDocument(ports: Registered, kind: DocumentKind, cid: Cid): Promise<void> {
  if (!(await isRegistered(ports, kind, cid))) throwUnknown(kind, cid);
}

export function throwUnknown(kind: DocumentKind, { text }: Cid): never {
  const message = `There is no ${kind} with the CID ${text}. ${advice[kind]}, and use the CID that it answers.`;
  throw new ServiceError('invalid_request', message);
}
