import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { cidIn, cidUrn } from '../identifiers/cid.ts';
import { documentLimit } from '../names/name.ts';
import { namingKind } from '../names/name-records.ts';
import type { BlobStore, StatementScope } from '../ports.ts';
import { claimOf, registrantOf } from '../signatures/proven.ts';
import type { Claim, Trust, TrustReader } from '../signatures/trust.ts';
import { placeNumber } from '../statements/places.ts';
import type { StatementIndex } from '../statements/questions.ts';
import { type RunFacts, readRun } from './run-document.ts';

export interface DescribingPorts {
  readonly statementIndex: Pick<StatementIndex, 'referringTo'>;
  readonly blobs: Pick<BlobStore, 'readSmall'>;
  readonly trust: TrustReader;
}

/** What the registrant of a computation says about its run. */
export interface DescribedRun {
  readonly facts?: RunFacts;
  /** The ids of the statement and of its document. */
  readonly description?: {
    readonly statement: string;
    readonly document: string;
    readonly trust: Trust | undefined;
  };
}

const subjectPlace = placeNumber({ role: 'subject', kind: namingKind });
/** The newest MetadataRegistrations about a run that are looked at. */
const mostLooked = 8;
const runsAtOnce = 50;

/**
 * The documents about runs, by the id of the run. Only those of the registrant of the computation count, because anybody
 * can describe anything: first those that the registrant has signed, then the newest. Retracted ones do not count.
 */
export async function describeRuns(
  ports: DescribingPorts,
  computations: readonly Claim[],
  scope: StatementScope,
): Promise<Map<string, DescribedRun>> {
  const found = new Map<string, DescribedRun>();
  for (let at = 0; at < computations.length; at += runsAtOnce) {
    const some = computations.slice(at, at + runsAtOnce);
    let open = [...(await candidatesOf(ports, some, scope))];
    for (let rank = 0; open.length > 0; rank += 1) {
      const asked = open.map(([, candidates]) => candidates[rank]).filter((one) => one !== undefined);
      const facts = await readAll(ports.blobs, asked);
      for (const [id, candidates] of open) {
        const candidate = candidates[rank];
        const read = candidate && facts.get(candidate.document);
        if (read) found.set(id, { facts: read, description: candidate });
      }
      open = open.filter(([id, candidates]) => !found.has(id) && candidates.length > rank + 1);
    }
    await yieldToEventLoop();
  }
  return found;
}

type Candidate = NonNullable<DescribedRun['description']>;

async function candidatesOf(
  { statementIndex, trust }: DescribingPorts,
  computations: readonly Claim[],
  scope: StatementScope,
): Promise<ReadonlyMap<string, readonly Candidate[]>> {
  const identifiers = computations.map(({ id }) => id);
  const places = [{ place: subjectPlace, limit: mostLooked }];
  const most = identifiers.length * mostLooked;
  const referring = await statementIndex.referringTo({ identifiers, places, most }, scope);
  const own = computations.map(({ registeredBy }, at) =>
    (referring[at]?.found ?? [])
      .map((one) => one.statement)
      .filter((one) => registrantOf(one) === registeredBy),
  );
  const trusts = await trust(own.flat().map(claimOf));
  return new Map(
    own.map((ofOne, at) => {
      const candidates = ofOne.flatMap(({ rdfcCid, references }) => {
        const statement = cidUrn(rdfcCid);
        const document = references.find(({ role }) => role === 'metadata')?.identifier;
        return document === undefined ? [] : [{ statement, document, trust: trusts.get(statement) }];
      });
      const counting = candidates.filter((one) => one.trust?.state !== 'retracted');
      const rankOf = (one: Candidate) => Number(!isOwnSignature(one.trust));
      return [identifiers[at] ?? '', counting.toSorted((one, other) => rankOf(one) - rankOf(other))];
    }),
  );
}

/** Whether the registrant of a statement has signed it, and the signature counts. */
export function isOwnSignature(trust: Trust | undefined): boolean {
  return trust?.state === 'signed' && trust.isRegistrant === true && trust.isValid === true;
}

async function readAll(blobs: DescribingPorts['blobs'], candidates: readonly Candidate[]) {
  const cids = candidates.flatMap(({ document }) => cidIn(document) ?? []);
  const bytes = await blobs.readSmall(cids, documentLimit);
  return new Map(cids.map((cid, at) => [cidUrn(cid), bytes[at] && readRun(bytes[at])]));
}
