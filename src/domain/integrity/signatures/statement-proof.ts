import type { JsonObject } from '../../json/is-object.ts';
import { jcs } from '../identification/jcs.ts';
import { referenceIdentifier } from '../identifiers/identifiers.ts';
import { termsIri } from '../kinds/kind.ts';
import { isStatementKind, type StatementKind, statementKinds } from '../kinds/registry.ts';
import type { StatementRow } from '../ports.ts';
import { cannotCheck } from '../proofs/proof.ts';
import type { Reason } from '../proofs/reasons.ts';
import type { SignedGraph } from '../proofs/signed-graph.ts';
import { type Comparison, type ProofCheck, type VerifyPorts, verifyProof } from '../proofs/verify-proof.ts';
import { registrantOf } from './proven.ts';

type Stated = Pick<StatementRow, 'kind' | 'references'>;

/**
 * Verifies the proof in a statement, and that the kind and the references that were read from the statement are those
 * that are signed.
 */
export async function verifyStatementProof(
  ports: VerifyPorts,
  row: Stated,
  document: JsonObject,
): Promise<ProofCheck> {
  const compare: Comparison = (graph, proof) => {
    if (!graph) assertSameContexts(document, proof);
    else if (isStatementKind(row.kind)) assertSameStatement(row.kind, row, graph);
    else assertSameForeign(row, graph);
  };
  // The id follows from the signed statement, so signers may leave it out.
  const { '@id': _, ...withoutId } = document;
  const check = await verifyProof(ports, withoutId, compare);
  return check.result === 'failed' ? await verifyProof(ports, document, compare) : check;
}

function assertSameStatement(kind: StatementKind, { references }: Stated, graph: SignedGraph): void {
  const root = graph.rootOfType(termsIri + kind) ?? fail('is', kind);
  for (const role of ['registeredBy', ...statementKinds[kind].references]) {
    const signed = graph
      .objects(root, [termsIri + role])
      .flatMap(({ value }) => referenceIdentifier(value) ?? []);
    const written = references.filter((one) => one.role === role).map(({ identifier }) => identifier);
    if (new Set(signed).symmetricDifference(new Set(written)).size > 0) fail('names', role);
  }
}

/** The terms of foreign kinds are not known here. So their IRIs have to end with the names that people read. */
function assertSameForeign({ kind, references }: Stated, graph: SignedGraph): void {
  const registrant = registrantOf({ references });
  if (registrant === undefined) return;
  const root =
    graph.root(
      ({ predicate, object }) =>
        isNamed(predicate.value, 'registeredBy') && referenceIdentifier(object.value) === registrant,
    ) ?? fail('names', 'registeredBy');
  if (kind !== '' && !graph.types(root).some((iri) => isNamed(iri, kind))) fail('is', kind);
}

function isNamed(iri: string, name: string): boolean {
  return iri === name || ['/', '#', ':'].some((end) => iri.endsWith(end + name));
}

/** A JCS proof permits contexts that are added later. They would change what the id of the statement stands for. */
function assertSameContexts({ '@context': context }: JsonObject, proof: JsonObject): void {
  const { '@context': signed = context } = proof;
  if (jcs([signed].flat()) !== jcs([context].flat())) fail('context', '@context');
}

function fail(says: Reason<'statement_not_covered'>['says'], name: string): never {
  cannotCheck({ code: 'statement_not_covered', says, name });
}
