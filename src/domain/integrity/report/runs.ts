import { isOwnSignature } from '../runs/described.ts';
import { runKind } from '../runs/runs.ts';
import type { Content, ReportedRun, ReportedStatement } from './report.ts';

/** What the registrants of computations say about their runs, by the same rule as lists of runs. */
export function runsIn(
  statements: readonly ReportedStatement[],
  contents: ReadonlyMap<string, Content>,
): ReportedRun[] {
  const metadata = statements.filter(
    ({ kind, trust }) => kind === 'MetadataRegistration' && trust.state !== 'retracted',
  );
  const bySubject = Map.groupBy(metadata, (one) => fieldOf(one, 'subject') ?? '');
  return statements
    .filter(({ kind }) => kind === runKind)
    .flatMap((computation) => {
      const { id } = computation;
      const own = (bySubject.get(id) ?? [])
        .filter((one) => fieldOf(one, 'registeredBy') === fieldOf(computation, 'registeredBy'))
        // The statements are in the order of their times.
        .toReversed()
        .toSorted((one, other) => Number(isOwnSignature(other.trust)) - Number(isOwnSignature(one.trust)));
      for (const said of own) {
        const facts = contents.get(fieldOf(said, 'metadata') ?? '')?.run;
        if (facts) return [{ id, facts, said }];
      }
      return [];
    });
}

function fieldOf({ references }: ReportedStatement, field: string): string | undefined {
  return references.find(({ role }) => role === field)?.identifier;
}
