import { type Collection, MongoBulkWriteError } from 'mongodb';
import type { StatementRow } from '../../../domain/integrity/ports.ts';
import { isDuplicate } from '../errors.ts';
import type { StatementDocument } from './statement-documents.ts';

/** A row on its way in. */
export interface ComingStatement {
  readonly row: StatementRow;
  readonly document: StatementDocument;
}

/**
 * Inserts those that are not there. Everybody does so in the order of ids, so that on servers which lock each of them
 * no two wait for each other.
 * @returns the others.
 */
export async function insertNew(
  statements: Collection<StatementDocument>,
  coming: readonly ComingStatement[],
): Promise<ComingStatement[]> {
  const ordered = coming.toSorted((one, other) => Buffer.compare(one.document._id, other.document._id));
  try {
    await statements.insertMany(
      ordered.map(({ document }) => document),
      { ordered: false },
    );
    return [];
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const problems = [error.writeErrors].flat();
    const isAcknowledged = error.result.getWriteConcernError() === undefined;
    if (!isAcknowledged || problems.length === 0 || !problems.every(isDuplicate)) throw error;
    const known = new Set(problems.map(({ index }) => index));
    return ordered.filter((_, at) => known.has(at));
  }
}
