import { artefactFacts } from './facts-table/artefact.ts';
import { computationsFacts } from './facts-table/computations.ts';
import { evidenceFacts } from './facts-table/evidence.ts';
import { governanceFacts } from './facts-table/governance.ts';
import { commands, type FactShape } from './facts-table/shared-fields.ts';

/**
 * All facts that the conditions of policies may read. The types of `Facts`, the check of names, and `docs/facts.md`
 * come from here. A published fact stays: others are only added.
 */

/**
 * `signer`: a name that the policy gives, or ''. `values`: a JSON object with members of any type. `list(…)` and the bare
 * name of a fact stand for those.
 */
type TypeName =
  | 'string'
  | 'signer'
  | 'int'
  | 'double'
  | 'bool'
  | 'timestamp'
  | 'values'
  | 'list(string)'
  | 'list(signer)'
  | FactName
  | `list(${FactName})`;

export interface FactField extends FactShape {
  readonly type: TypeName;
}

export const factTable = { ...artefactFacts, ...computationsFacts, ...governanceFacts, ...evidenceFacts };

export type FactName = keyof typeof factTable;

/** What a condition can name everywhere. In rules without `for` the fields of the subject have names too. */
export const rootTable = {
  subject: { type: 'artefact', says: 'What is checked.', example: "subject.kind == 'model'" },
  upstream: {
    type: 'list(artefact)',
    says: 'All that it was made from, over all steps.',
    example: "upstream.all(a, a.kind != 'dataset' || a.reviews.exists(r, r.decision == 'approved'))",
    command: commands.record,
  },
  computations: {
    type: 'list(computation)',
    says: 'All computations that it comes from.',
    example: "computations.all(c, c.signed_by == 'builder')",
    command: commands.record,
  },
  agents: {
    type: 'list(agent)',
    says: 'All who ran these computations.',
    example: 'agents.all(a, a.name != "")',
  },
  members: {
    type: 'list(artefact)',
    says: 'The files of the subject, if it is a folder.',
    example: "members.exists(m, m.name == 'README.md')",
  },
  complete: {
    type: 'bool',
    says: 'Whether a log shows that no statement was left out. False if there is no statement.',
    example: 'complete',
    command: commands.prove,
  },
  now: {
    type: 'timestamp',
    says: 'The time of the check.',
    example: "now < timestamp('2027-01-01T00:00:00Z')",
  },
} as const satisfies Readonly<Record<string, FactShape>>;
