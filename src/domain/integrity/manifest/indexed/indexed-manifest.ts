import { everythingVisible } from '../../../access/visibility.ts';
import { ServiceError } from '../../../errors.ts';
import type { RandomAccess } from '../../../json/random-access.ts';
import { type ContentReach, reachEverything } from '../../access/content-reach.ts';
import { type DigestReference, digestReferenceIn } from '../../blobs/digest-references.ts';
import type { SameBytes } from '../../blobs/same-bytes.ts';
import type { Folders } from '../../folders/folders.ts';
import { collectionsIn } from '../../folders/indexing.ts';
import type { Cid } from '../../identifiers/cid.ts';
import type { StatementScope } from '../../ports.ts';
import type { StatementIndex } from '../../statements/questions.ts';
import { statementIndex } from '../../statements/statement-index.ts';
import { type ManifestCarrier, type ManifestForm, openCarrier } from '../carrier.ts';
import { ManifestSignatures } from '../signatures.ts';
import type { ManifestFinding, ManifestSummary } from '../summary.ts';
import { type ManifestVerification, verifyManifest } from '../verify.ts';
import { CarriedBlobs } from './carried-blobs.ts';
import { carriedFolders } from './folders.ts';
import { KeptRows } from './kept-rows.ts';
import { carriedSameBytes } from './same-bytes.ts';

/** A verified manifest that answers like a service with its content. Only what is intact is found. */
export interface IndexedManifest {
  /** Undefined if the file is no manifest, which the findings say. */
  readonly carrier: ManifestCarrier | undefined;
  readonly summary: ManifestSummary;
  /** All statements of the manifest. Other scopes have none. */
  readonly scope: StatementScope;
  readonly statementIndex: StatementIndex;
  readonly blobs: CarriedBlobs;
  readonly reach: ContentReach;
  readonly sameBytes: SameBytes;
  readonly folders: Folders;
  readonly signatures: ManifestSignatures;
}

const graphId = '00000000-0000-4000-8000-000000000000';
const membership = { graphId, projectId: graphId };
const scope: StatementScope = { graphId, visibility: everythingVisible };

/** Verifies a manifest offline, and indexes in memory what is intact. @param onFinding called with each finding, and awaited. */
export async function indexManifest(
  ports: ManifestVerification,
  file: RandomAccess,
  form: ManifestForm,
  onFinding: (finding: ManifestFinding) => void | Promise<void>,
): Promise<IndexedManifest> {
  const opening = openCarrier(file, form);
  const carrier = await opening.catch(unlessRefused);
  const signatures = new ManifestSignatures(ports.signatures);
  const rows = { verified: new KeptRows(true, membership), unverified: new KeptRows(false, membership) };
  const blobs = new CarriedBlobs(carrier);
  const collections = new Map<string, Cid>();
  const references = new Map<string, DigestReference>();
  const findings = verifyManifest(ports, opening, {
    signatures,
    async rows(some) {
      for (const row of some) {
        rows[row.isTrusted ? 'verified' : 'unverified'].add(row);
        for (const cid of collectionsIn(row)) collections.set(cid.text, cid);
      }
    },
    async blobs({ blob, bytes }, hashes) {
      blobs.add(blob.slice, hashes);
      const reference = bytes && digestReferenceIn(bytes);
      if (reference) references.set(reference.id, reference);
    },
  });
  let next = await findings.next();
  for (; !next.done; next = await findings.next()) await onFinding(next.value);
  return {
    carrier,
    summary: next.value,
    scope,
    statementIndex: statementIndex(rows),
    blobs,
    reach: reachEverything,
    sameBytes: await carriedSameBytes(blobs, references),
    folders: await carriedFolders(blobs, collections.values()),
    signatures,
  };
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error;
}
