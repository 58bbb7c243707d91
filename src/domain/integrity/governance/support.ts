import { isObject, type JsonObject } from '../../json/is-object.ts';
import { listOf } from '../credentials/credential-shape.ts';
import { type Cid, cidIn, codecs, parseCid } from '../identifiers/cid.ts';
import { documentLimit, parsedDocument } from '../names/name.ts';
import { statementsOfOutcome } from '../policies/outcome.ts';
import { mostStatements } from '../policies/verdict.ts';
import type { StatementRow, StatementScope } from '../ports.ts';
import { claimOf, provenAbout } from '../signatures/proven.ts';
import type { Signature } from '../signatures/signatures.ts';
import { type Claim, retractedAmong, type TrustPorts } from '../signatures/trust.ts';
import type { StatementIndex } from '../statements/questions.ts';

export interface SupportPorts {
  readonly trusting: TrustPorts;
  /** The bytes of documents, in their order. */
  readonly documents: (cids: readonly Cid[], limit: number) => Promise<readonly (Uint8Array | undefined)[]>;
  readonly statementIndex: Pick<StatementIndex, 'forms'>;
  /** Statements that somebody has withdrawn, while nothing tells whether they may. A service can tell, and has none. */
  readonly disputed: ReadonlySet<string>;
}

/** Why a certificate no longer stands: what a statement that it rests on has become. */
export interface LostSupport {
  readonly statement: string;
  readonly state: 'retracted' | 'revoked' | 'suspended';
}

/** The documents that a credential rests on. */
export function outcomesOf({ relatedResource }: JsonObject): Cid[] {
  return listOf(relatedResource)
    .filter(isObject)
    .flatMap(({ id }) => cidIn(String(id)) ?? []);
}

/** Whether nobody can tell here if a certificate has lost its support, because something that it rests on is not there. */
export const unknownSupport = 'unknown';

/**
 * The first of the statements on which a check rested that was withdrawn since, or whose signature was; undefined if none was. What
 * a certificate among them rests on counts too.
 */
export async function lostSupport(
  ports: SupportPorts,
  outcome: Cid,
  scope: StatementScope,
): Promise<LostSupport | typeof unknownSupport | undefined> {
  const { trusting, disputed } = ports;
  const rested = await restedOn(ports, outcome, scope);
  const { statements, claims, isLacking } = rested;
  const [retracted] = await retractedAmong(trusting, claims);
  if (retracted !== undefined) return { statement: retracted, state: 'retracted' };
  const signatures = await countedSignatures(trusting, rested);
  const standings = await trusting.standings(signatures);
  let isUnknown = isLacking || !statements.isDisjointFrom(disputed);
  for (const { about: statement, credentialCid } of signatures) {
    const { revoked, suspended, unknown } = standings.get(credentialCid ?? '') ?? {};
    if (revoked) return { statement, state: 'revoked' };
    if (suspended) return { statement, state: 'suspended' };
    isUnknown ||= unknown !== undefined;
  }
  return isUnknown ? unknownSupport : undefined;
}

/** When the first certificate or signature ends that counted for a check, in milliseconds since 1970; Infinity if none ends. */
export async function firstEndOfSupport(
  ports: Omit<SupportPorts, 'disputed'>,
  outcome: Cid,
  scope: StatementScope,
): Promise<number> {
  const signatures = await countedSignatures(ports.trusting, await restedOn(ports, outcome, scope));
  const now = ports.trusting.now().getTime();
  const ends = signatures.map(({ validUntil }) => validUntil ?? Number.POSITIVE_INFINITY);
  return Math.min(...ends.filter((end) => end > now));
}

/** The signatures that counted for a check. */
async function countedSignatures(
  trusting: TrustPorts,
  { statements, claims, certificates }: Awaited<ReturnType<typeof restedOn>>,
): Promise<Signature[]> {
  const carriers = new Set(statements.values().map((id) => id.replace('urn:cid:', '')));
  const proven = await provenAbout(trusting, claims);
  return proven
    .flat()
    .filter(({ carrier, credentialCid }) => carriers.has(carrier) || certificates.has(credentialCid ?? ''));
}

/** The statements on which a check rested, and those behind the certificates among them. */
async function restedOn(
  { documents, statementIndex }: Pick<SupportPorts, 'documents' | 'statementIndex'>,
  outcome: Cid,
  scope: StatementScope,
) {
  const statements = new Set<string>();
  const claims: Claim[] = [];
  /** The documents of governance among them. A certificate signs the statement that registers it. */
  const certificates = new Set<string>();
  let isLacking = false;
  const outcomes = new Set([outcome.text]);
  // Grows meanwhile.
  for (const next of outcomes) {
    const rested = await statementsOfOutcome(documents, parseCid(next));
    if (!rested || statements.size + rested.length > mostStatements)
      return { statements, claims, certificates, isLacking: true };
    for (const id of new Set(rested).difference(statements)) {
      statements.add(id);
      const cid = cidIn(id);
      if (cid?.codec !== codecs.rdfc) continue;
      const [row] = (await statementIndex.forms(cid, { after: null, limit: 1 }, scope)).statements;
      if (!row) {
        isLacking = true;
        continue;
      }
      claims.push(claimOf(row));
      for (const document of documentsOf(row)) {
        certificates.add(document.text);
        const [bytes] = await documents([document], documentLimit);
        const read = bytes && parsedDocument(bytes);
        for (const { text } of isObject(read) ? outcomesOf(read) : []) outcomes.add(text);
        isLacking ||= !bytes;
      }
    }
  }
  return { statements, claims, certificates, isLacking };
}

/** The documents of governance, among which are certificates. */
function documentsOf({ kind, references }: StatementRow): Cid[] {
  if (kind !== 'GovernanceRegistration') return [];
  return references
    .filter(({ role }) => role === 'document')
    .flatMap(({ identifier }) => cidIn(identifier) ?? []);
}
