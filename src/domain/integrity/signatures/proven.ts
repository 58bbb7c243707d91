import pMap from 'p-map';
import { everythingVisible } from '../../access/visibility.ts';
import { cidUrn, parseCid } from '../identifiers/cid.ts';
import type { StatementRow, StatementStore } from '../ports.ts';
import { aboutCarrier, type Signature, type Signatures, signatureId } from './signatures.ts';

export interface Claim {
  /** The statement's id, with `urn:cid:`. */
  readonly id: string;
  readonly registeredBy: string | undefined;
}

/** The DID in `registeredBy`. */
export function registrantOf({ references }: Pick<StatementRow, 'references'>): string | undefined {
  return references.find(({ role }) => role === 'registeredBy')?.identifier;
}

export function claimOf(row: Pick<StatementRow, 'rdfcCid' | 'references'>): Claim {
  return { id: cidUrn(row.rdfcCid), registeredBy: registrantOf(row) };
}

export interface ProvenPorts {
  readonly signatures: Pick<Signatures, 'among'>;
  /** The DIDs of this service. */
  readonly ownDids: ReadonlySet<string>;
  /** Whom the reader trusts. */
  readonly knownDids?: ReadonlySet<string>;
}

/** The signatures of others that are read. Anybody may sign a statement without end. */
const othersLooked = 20;
/** Those of the registrant, of this service, or of whom the reader trusts. Anybody may store copies of their credentials. */
const eachLooked = 1_000;
const readAtOnce = 8;

/**
 * The signatures about each statement that held when they were checked: those of the registrant, of this service and of whom the
 * reader trusts, whatever others have stored, and some of others.
 */
export async function provenAbout(
  { signatures, ownDids, knownDids = new Set() }: ProvenPorts,
  claims: readonly Claim[],
): Promise<(readonly Signature[])[]> {
  const ids = claims.map(({ id }) => id);
  const [proven, issued] = await Promise.all([
    signatures.among('byProof', ids, othersLooked, ['ok']),
    issuedAmong(signatures, ids),
  ]);
  const found = claims.map((_, at): readonly Signature[] => [...(issued[at] ?? []), ...(proven[at] ?? [])]);
  const readAll = async ([at, { id, registeredBy }]: readonly [number, Claim]) => {
    const byId = new Map<string, Signature>();
    for (const signer of new Set([registeredBy ?? null, ...ownDids, ...knownDids])) {
      if (signer === null) continue;
      const [theirs = []] = await signatures.among('byProof', [id], eachLooked, ['ok', signer]);
      for (const one of theirs) byId.set(one.id, one);
    }
    for (const one of found[at] ?? []) byId.set(one.id, one);
    found[at] = [...byId.values()];
  };
  const hasMore = ([at]: readonly [number, Claim]) => (found[at]?.length ?? 0) >= othersLooked;
  await pMap(claims.entries().filter(hasMore), readAll, { concurrency: readAtOnce });
  return found;
}

/** Of statements that carry a credential of `issue_vc`: its signature about themselves. */
async function issuedAmong(signatures: ProvenPorts['signatures'], ids: readonly string[]) {
  const found = await signatures.among('byRegistration', ids, 1);
  return found.map((records) => records.map(aboutCarrier));
}

/**
 * The signatures about each statement, above all those that held: by this service or by the registrant of the carrier
 * first, then the oldest.
 */
export async function signaturesAbout(
  ports: ProvenPorts,
  claims: readonly Claim[],
  limit: number,
): Promise<(readonly Signature[])[]> {
  const proven = await provenAbout(ports, claims);
  const ids = claims.map(({ id }) => id);
  const found = await ports.signatures.among('byProof', ids, limit);
  return claims.map((_, at) => {
    const all = [...(proven[at] ?? []), ...(found[at] ?? [])];
    return [...new Map(all.map((one) => [one.id, one])).values()]
      .slice(0, limit)
      .sort((one, other) => one.rank - other.rank || one.createdAt - other.createdAt);
  });
}

/** The proof in a stored statement, however many others have signed it. All of its forms have the same, because its id covers it. */
export async function proofsIn(
  ports: {
    readonly signatures: Pick<Signatures, 'get'>;
    readonly statements: Pick<StatementStore, 'byRdfcCid'>;
  },
  id: string,
): Promise<readonly Signature[]> {
  const { signatures, statements } = ports;
  const statement = await statements.byRdfcCid(parseCid(id), everythingVisible);
  const carried = statement && (await signatures.get(signatureId(statement.jcsCid.text, id)));
  return carried?.kind === 'proof' ? [carried] : [];
}
