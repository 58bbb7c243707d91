import { isObject, type JsonObject } from '../../../json/is-object.ts';
import { statementNode } from '../../lineage/edges.ts';
import { endOf, type RunFacts, resultOf, runFactsIn } from '../../runs/run-document.ts';
import { registrantOf } from '../../signatures/proven.ts';
import type { ReferringStatement } from '../../statements/rows.ts';
import type { Computation, Fact, SignatureFact } from '../facts.ts';
import type { MadeStep } from './ancestry.ts';
import type { Knowledge } from './knowledge.ts';
import { goodSigners } from './signature-facts.ts';
import { inField } from './statements-about.ts';

/** What is known of a computation. */
export interface ComputationFound {
  readonly fact: Computation;
  /** What it says of a build, if it is one (SLSA). */
  readonly provenance: Fact<'provenance'> | undefined;
  /** Whether the document that describes it is not there, so that nobody knows what it says. */
  readonly lacksDocument: boolean;
}

/** The name that one of these signers has signed; of nobody, that anybody gives. */
export type NameOf = (id: string, signers: ReadonlySet<string>) => string | undefined;

/** @param nameOf for the source of a build. */
export function computationFacts(step: MadeStep, knowledge: Knowledge, nameOf: NameOf): ComputationFound {
  const { id, inputs, outputs, programs, operators } = step;
  const metadata = knowledge.statements(id, 'MetadataRegistration');
  const { signatures, isCut } = knowledge.signed(id);
  const first = describedRun(step, signatures, metadata, knowledge);
  const said = first === 'lacking' ? undefined : first;
  const log = knowledge.logged(id);
  const lacksDocument =
    first === 'lacking' || (first === undefined && metadata.some((one) => !isThere(one, knowledge)));
  const unknown = {
    ...(!log && { log: 'no_log_proof' as const }),
    ...(lacksDocument && unreadRun),
  };
  const [agent] = operators;
  const shared = {
    signatures,
    ...(isCut && { cut: ['signatures'] }),
    ...(log && { log }),
    ...(Object.keys(unknown).length > 0 && { unknown }),
  };
  const statements = [id, ...(said ? [said.statement] : [])];
  const run = said && runFields(said.facts);
  const fact: Computation = {
    id,
    ...run,
    inputs,
    outputs,
    programs,
    ...(agent !== undefined && { agent }),
    statements: [id],
    ...(run && {
      said_by: Object.fromEntries(Object.keys(run).map((field) => [field, statements])),
      said_with: said.signatures,
    }),
    ...shared,
  };
  const provenance = said && provenanceOf(said, { ...shared, statements }, inputs, nameOf);
  return { fact, provenance, lacksDocument };
}

const unreadRun = {
  command: 'bytes_missing',
  parameters: 'bytes_missing',
  metrics: 'bytes_missing',
  exit_code: 'bytes_missing',
  result: 'bytes_missing',
} as const;

interface Described {
  readonly statement: string;
  readonly facts: RunFacts;
  readonly signatures: readonly SignatureFact[];
}

/**
 * What the registrant of a computation says about it: first what the registrant has signed, then what a signer of the computation
 * has signed, then the newest. Of a computation that is signed, only what one of its signers has signed too counts, because anybody
 * can describe anything in any name. `lacking`: the document that comes first is not there.
 */
function describedRun(
  { registeredBy }: MadeStep,
  ofComputation: readonly SignatureFact[],
  metadata: readonly ReferringStatement[],
  knowledge: Knowledge,
): Described | 'lacking' | undefined {
  const signers = goodSigners(ofComputation);
  const candidates = metadata
    .filter((one) => registrantOf(one) === registeredBy)
    .flatMap((one) => {
      const [document = ''] = inField(one, 'metadata');
      const facts = runFactsIn(knowledge.documents.of(document));
      if (!facts && !knowledge.documents.isLacking(document)) return [];
      const statement = statementNode(one);
      const { signatures } = knowledge.signed(statement);
      const own = goodSigners(signatures);
      const isOwn = own.has(registeredBy ?? '');
      const isShared = !own.isDisjointFrom(signers);
      if (signers.size > 0 && !isShared) return [];
      return { statement, facts, signatures, rank: isOwn ? 0 : 1, time: one.time ?? 0 };
    });
  const [first] = candidates.sort((one, other) => one.rank - other.rank || other.time - one.time);
  if (!first) return undefined;
  const { facts, ...by } = first;
  return facts ? { facts, ...by } : 'lacking';
}

function isThere(metadata: ReferringStatement, { documents }: Knowledge): boolean {
  return inField(metadata, 'metadata').every((id) => documents.isRead(id));
}

function runFields(facts: RunFacts) {
  const { command, exit_code, started, parameters, metrics, metadata } = facts;
  const given = metadata?.parameters;
  const values = [...(isObject(given) ? [given] : []), ...(parameters ?? []).map((one) => one.values)];
  const ended = endOf(facts);
  const result = resultOf(facts);
  return {
    ...(command && { command: command.join(' ') }),
    ...(exit_code !== undefined && { exit_code }),
    ...(result !== 'unknown' && { result }),
    ...(values.length > 0 && { parameters: Object.assign({}, ...values) as JsonObject }),
    ...(metrics && { metrics }),
    ...(started !== undefined && { started }),
    ...(ended !== undefined && { ended }),
  };
}

/** Signatures of a build count for what it says of its builder if they cover the document that says so. */
function provenanceOf(
  { facts: { metadata = {} }, signatures }: Described,
  shared: Pick<Computation, 'signatures' | 'cut' | 'log' | 'unknown' | 'statements'>,
  inputs: readonly string[],
  nameOf: NameOf,
): Fact<'provenance'> | undefined {
  const { builder, build_type: type } = metadata;
  if (typeof type !== 'string') return undefined;
  const { log, statements, signatures: ofComputation = [] } = shared;
  const signers = goodSigners(signatures);
  const source = inputs
    .map((id) => nameOf(id, goodSigners(ofComputation)))
    .find((name) => name !== undefined);
  return {
    ...(typeof builder === 'string' && { builder }),
    build_type: type,
    ...(source !== undefined && { source }),
    signatures: ofComputation.filter(
      ({ signer, standing }) => standing !== 'good' || signers.has(signer ?? ''),
    ),
    statements,
    ...(log ? { log } : { unknown: { log: 'no_log_proof' } }),
  };
}
