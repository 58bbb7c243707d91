import { isObject } from '../../json/is-object.ts';
import { listOf } from '../credentials/credential-shape.ts';
import type { Content, Governance, ReportedStatement } from './report.ts';

/** Reads the governance documents that are there. */
export function governanceIn(
  statements: readonly ReportedStatement[],
  contents: ReadonlyMap<string, Content>,
): Governance[] {
  return statements
    .filter(({ kind }) => kind === 'GovernanceRegistration')
    .flatMap(({ id: statement, references }) => {
      const subject = references.find(({ role }) => role === 'subject')?.identifier;
      const document = references.find(({ role }) => role === 'document')?.identifier;
      if (subject === undefined || document === undefined) return [];
      return [{ subject, statement, document, ...readDocument(contents.get(document)?.document) }];
    });
}

function readDocument(document: unknown): Pick<Governance, 'kind'> & Partial<Governance> {
  if (!isObject(document)) return { kind: 'document' };
  const text = (name: string) => {
    const value = document[name];
    return typeof value === 'string' ? { value } : undefined;
  };
  const submitted = { ...as('by', text('submittedBy')), ...as('at', text('submittedAt')) };
  const { decision, controlCid, credentialSubject } = document;
  if (typeof decision === 'string')
    return { kind: 'review', verdict: decision, ...submitted, ...as('text', text('comment')) };
  if (controlCid !== undefined)
    return { kind: 'declaration', ...submitted, ...as('text', text('statement')) };
  if (credentialSubject === undefined) return { kind: 'document' };
  const types = listOf(document.type).filter((type) => type !== 'VerifiableCredential');
  return {
    kind: 'certificate',
    verdict: types.map(String).join(', '),
    ...as('by', text('issuer')),
    ...as('at', text('validFrom')),
    ...as('until', text('validUntil')),
  };
}

function as(name: string, found: { value: string } | undefined) {
  return found && { [name]: found.value };
}
