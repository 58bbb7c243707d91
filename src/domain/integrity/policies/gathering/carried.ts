import type { Vkey } from '../../../log/notes/vkey.ts';
import type { EvidenceReader } from '../../evidence/reading.ts';
import { uuidIn } from '../../identifiers/identifiers.ts';
import type { IndexedManifest } from '../../manifest/indexed/indexed-manifest.ts';
import type { StatementScope } from '../../ports.ts';
import { carriedNames, subjectsNamed } from '../../report/carried.ts';
import { resultsIn } from '../../report/results.ts';
import { identifiedBy } from '../../search/identified.ts';
import { CarriedLogPlaces } from './carried-log.ts';
import type { FactPorts } from './ports.ts';
import { billReader } from './read-bill.ts';
import { mostSubjects, onlyThing, type Subjects } from './subjects.ts';

/** What a reader of a manifest knows beside it. */
export interface CarriedReading {
  readonly evidenceReader: Pick<EvidenceReader, 'read'>;
  /** Keys of the logs and witnesses that count. */
  readonly logKeys: readonly Vkey[];
  /** The DIDs of the service that a signer `service` means. */
  readonly serviceDids: ReadonlySet<string>;
  /** The time of the check. */
  readonly now: Date;
}

/** Facts of a verified manifest. */
export function carriedFacts(
  manifest: IndexedManifest,
  { evidenceReader, logKeys, serviceDids, now }: CarriedReading,
): FactPorts {
  const places = new CarriedLogPlaces(manifest, logKeys);
  return {
    ...manifest,
    readBill: billReader(evidenceReader),
    trusting: { ...manifest.signatures.trusting, ownDids: serviceDids, now: () => now },
    names: (dids) => carriedNames(manifest, dids),
    documents: (cids, limit) => manifest.blobs.readSmall(cids, limit),
    logged: (statements) => places.of(statements),
    exchanges: async () => new Map(),
    disputed: manifest.signatures.disputed,
    isComplete: async (statements) => (await places.of(statements)).size === new Set(statements).size,
  };
}

const noHashes = { among: async () => [] };

/**
 * What a check of a manifest is about: a thing by its identifier, digest or name, or the results of the manifest.
 * @param text undefined, or the UUID of a graph, for the results.
 * @throws ServiceError `not_found` if nothing in the manifest has this name, `conflict` if several things have it.
 */
export async function carriedSubjects(
  manifest: IndexedManifest,
  text: string | undefined,
): Promise<Subjects> {
  const { statementIndex, scope } = manifest;
  if (text === undefined || (uuidIn(text) && !(await isSpokenOf(manifest, text, scope)))) {
    const { first, isCut } = await resultsIn(statementIndex, scope, mostSubjects);
    return { ids: first.toSorted(), graphId: scope.graphId, isCut };
  }
  const [identified] = await identifiedBy(text, noHashes, async () => true);
  const id =
    identified ??
    (await onlyThing(
      manifest.sameBytes,
      text,
      await subjectsNamed(manifest, text),
      'Nothing in the manifest',
    ));
  return { ids: [id], graphId: scope.graphId, isCut: false };
}

async function isSpokenOf({ statementIndex }: IndexedManifest, uuid: string, scope: StatementScope) {
  const page = { after: null, limit: 1 };
  const { references } = await statementIndex.references([`urn:uuid:${uuidIn(uuid)}`], page, scope);
  return references.length > 0;
}
