import { isObject, type JsonObject } from '../../json/is-object.ts';
import { listOf } from '../credentials/credential-shape.ts';
import { type Cid, cidIn, codecs } from '../identifiers/cid.ts';
import { statementsOfOutcome } from '../policies/outcome.ts';
import type { StatementScope } from '../ports.ts';
import { claimOf, provenAbout } from '../signatures/proven.ts';
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

/** The first of the statements on which a check rested that was withdrawn since, or whose signature was; undefined if none was. */
export async function lostSupport(
  { trusting, documents, statementIndex, disputed }: SupportPorts,
  outcome: Cid,
  scope: StatementScope,
): Promise<LostSupport | typeof unknownSupport | undefined> {
  const rested = await statementsOfOutcome(documents, outcome);
  if (!rested) return unknownSupport;
  const claims: Claim[] = [];
  let isUnknown = rested.some((id) => disputed.has(id));
  for (const id of rested) {
    const cid = cidIn(id);
    if (cid?.codec !== codecs.rdfc) continue;
    const [row] = (await statementIndex.forms(cid, { after: null, limit: 1 }, scope)).statements;
    if (row) claims.push(claimOf(row));
    else isUnknown = true;
  }
  const [retracted] = await retractedAmong(trusting, claims);
  if (retracted !== undefined) return { statement: retracted, state: 'retracted' };
  const carriers = new Set(rested.map((id) => id.replace('urn:cid:', '')));
  const signatures = (await provenAbout(trusting, claims))
    .flat()
    .filter(({ carrier }) => carriers.has(carrier));
  const standings = await trusting.standings(signatures);
  for (const { about: statement, credentialCid } of signatures) {
    const { revoked, suspended, unknown } = standings.get(credentialCid ?? '') ?? {};
    if (revoked) return { statement, state: 'revoked' };
    if (suspended) return { statement, state: 'suspended' };
    isUnknown ||= unknown !== undefined;
  }
  return isUnknown ? unknownSupport : undefined;
}
