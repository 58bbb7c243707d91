import type { Cid } from '../../src/domain/integrity/identifiers/cid.ts';
import type { StatementFilter, StatementRow, StatementScope } from '../../src/domain/integrity/ports.ts';
import type { Place } from '../../src/domain/integrity/statements/places.ts';
import { StatementModel } from './statement-model.ts';

const subjectRoles = ['subject', 'credentialSubject', 'payload'];

/** What a StatementIndex and GraphContents have to answer besides, by the names of forms. */
export class IndexModel extends StatementModel {
  search(filter: StatementFilter, scope: StatementScope): string[] {
    return this.#inScope(scope)
      .filter((row) => fits(row, filter))
      .map(({ jcsCid }) => jcsCid.text)
      .reverse();
  }

  forms(rdfcCid: Cid, scope: StatementScope): string[] {
    return this.#inScope(scope)
      .filter((row) => row.rdfcCid.text === rdfcCid.text)
      .map(({ jcsCid }) => jcsCid.text);
  }

  /** What refers to an identifier in one place, newest first. */
  references(identifier: string, { role, kind }: Place, scope: StatementScope): StatementRow[] {
    return this.#inScope(scope)
      .filter((row) => row.kind === kind && refers(row, [role], identifier))
      .reverse();
  }

  /** In the order of their ids; forms of one id as they were stored. */
  contents(graphIds: readonly string[]): string[] {
    return this.kept()
      .filter((kept) => graphIds.some((graphId) => kept.graphIds.includes(graphId)))
      .map(({ row }) => row)
      .toSorted((one, other) => Buffer.compare(one.rdfcCid.digest, other.rdfcCid.digest))
      .map(({ jcsCid }) => jcsCid.text);
  }

  #inScope({ graphId, visibility: { projects } }: StatementScope): StatementRow[] {
    const isVisible = (id: string) => projects === 'all' || projects.has(id);
    return this.kept()
      .filter(({ row, graphIds }) =>
        graphId === null
          ? row.isTrusted && (projects === 'all' || graphIds.some(isVisible))
          : graphIds.includes(graphId) && isVisible(graphId),
      )
      .map(({ row }) => row);
  }
}

function fits(row: StatementRow, { kind, subject, registeredBy, from, until }: StatementFilter): boolean {
  return (
    (kind === null || row.kind === kind) &&
    (subject === null || refers(row, subjectRoles, subject)) &&
    (registeredBy === null || refers(row, ['registeredBy'], registeredBy)) &&
    (from === null || (row.time !== null && row.time >= from)) &&
    (until === null || (row.time !== null && row.time < until))
  );
}

function refers({ references }: StatementRow, roles: readonly string[], identifier: string): boolean {
  return references.some((it) => roles.includes(it.role) && it.identifier === identifier);
}
