import { statementNode } from '../../lineage/edges.ts';
import { claimOf } from '../../signatures/proven.ts';
import type { Claim } from '../../signatures/trust.ts';
import type { ReferringStatement } from '../../statements/rows.ts';
import type { MadeStep } from './ancestry.ts';
import type { Wanted } from './ports.ts';
import type { About } from './statements-about.ts';

/** Conditions read the signers of artefacts and of what is said about them through these. */
const signerFields = ['signed_by', 'signers', 'signatures', 'model_signatures', 'provenance'];

export interface Spoken {
  /** All names of each artefact. */
  readonly artefacts: readonly (readonly string[])[];
  readonly steps: ReadonlyMap<string, MadeStep>;
  readonly about: ReadonlyMap<string, About>;
}

/**
 * The claims whose signers matter: all if conditions read the signers of artefacts. Otherwise those of computations and
 * governance, and where several documents describe one artefact, theirs, because signers decide which one counts first.
 */
export function claimsRead({ artefacts, steps, about }: Spoken, wanted: Wanted): Claim[] {
  const made = [...steps.values()].map(({ id, registeredBy }) => ({ id, registeredBy }));
  if (signerFields.some(wanted.field)) {
    const things = artefacts.flat().map((id) => ({ id, registeredBy: undefined }));
    return [...things, ...made, ...allIn(about).map(claimOf)];
  }
  const ofArtefacts = artefacts.map((names) =>
    distinct(names.flatMap((name) => about.get(name)?.statements ?? [])),
  );
  const ranked = ofArtefacts.flatMap((statements) => {
    const descriptions = statements.filter(({ kind }) => kind === 'MetadataRegistration');
    const governance = statements.filter(({ kind }) => kind === 'GovernanceRegistration');
    return descriptions.length > 1 ? [...descriptions, ...governance] : governance;
  });
  const known = new Set(artefacts.flat());
  const others = [...about].flatMap(([id, { statements }]) =>
    known.has(id) && !steps.has(id) ? [] : statements,
  );
  return [...made, ...distinct([...ranked, ...others]).map(claimOf)];
}

/** All statements, each once. */
export function allIn(about: ReadonlyMap<string, About>): ReferringStatement[] {
  return distinct([...about.values()].flatMap(({ statements }) => statements));
}

function distinct(statements: readonly ReferringStatement[]): ReferringStatement[] {
  return [...new Map(statements.map((one) => [statementNode(one), one])).values()];
}
