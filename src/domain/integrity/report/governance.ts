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
      const { governance = { kind: 'document' } } = contents.get(document) ?? {};
      return [{ subject, statement, document, ...governance }];
    });
}
