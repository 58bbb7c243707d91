import { randomIndex } from '../domain/integrity/credentials/allocate.ts';
import { credentials } from '../domain/integrity/credentials/credential-records.ts';
import { OpenLists } from '../domain/integrity/credentials/open-lists.ts';
import { ownStatusCheck } from '../domain/integrity/credentials/own-status.ts';
import {
  signedStatusLists,
  statusEntries,
  statusLists,
} from '../domain/integrity/credentials/status-entries.ts';
import { requestStatusList } from '../domain/integrity/credentials/status-list-job.ts';
import type { Identifier } from '../domain/integrity/ports.ts';
import { didWebOf } from '../domain/integrity/proofs/did-web.ts';
import { issuedCredential, signatures } from '../domain/integrity/signatures/signatures.ts';
import type { Signer } from '../domain/integrity/signer.ts';
import { type JobQueue, jobs } from '../domain/jobs/jobs.ts';
import { publicUrlOf, type Settings } from '../platform/settings/setting-table.ts';
import type { Store } from '../storage/open.ts';

export interface CredentialParts {
  readonly identifier: Identifier;
  readonly signer: Signer;
  readonly queue: Pick<JobQueue, 'enqueue'>;
}

type CredentialSettings = Pick<Settings, 'publicUrl' | 'host' | 'port' | 'publicStatusLists'>;

/** What signs status lists, in services and in job workers. */
export function signedListPorts(store: Store, parts: Pick<CredentialParts, 'identifier' | 'signer'>) {
  return {
    ...parts,
    statusLists: store.of(statusLists),
    statusEntries: store.of(statusEntries),
    signedStatusLists: store.of(signedStatusLists),
    now: () => new Date(),
  };
}

/** What the routes of credentials, and whatever else issues credentials, work with. */
export function credentialPorts(store: Store, parts: CredentialParts, settings: CredentialSettings) {
  const newId = () => crypto.randomUUID();
  const base = () => publicUrlOf(settings);
  const signedLists = signedListPorts(store, parts);
  const { statusLists: lists, statusEntries: entries, now } = signedLists;
  const records = store.of(credentials);
  const ownDids = parts.signer.keys.map(({ did }) => did);
  const status = { statusLists: lists, statusEntries: entries, base, ownDids };
  const requests = { jobs: store.of(jobs), queue: parts.queue, now };
  const allocation = {
    ...status,
    openLists: new OpenLists({ statusLists: lists, base, now, newId }),
    drawIndex: randomIndex,
    credentials: records,
    identifier: parts.identifier,
    now,
    newId,
  };
  return {
    allocation,
    issuing: { ...allocation, signer: parts.signer, blobs: store.blobs },
    revocation: {
      ...status,
      credentials: records,
      issuedCredential: (id: string) => issuedCredential(store.of(signatures), store.statements, id),
      requestStatusList: (listId: string) => requestStatusList(requests, listId),
    },
    status,
    signedLists,
    publicStatusLists: settings.publicStatusLists,
    verification: {
      identifier: parts.identifier,
      ownKeys: parts.signer.keys,
      ownDidWeb: didWebOf(base()),
      statusCheck: ownStatusCheck({ ...status, credentials: records }),
      now,
    },
  };
}
