import { z } from 'zod';
import { ServiceError } from '../errors.ts';

export type ProblemKind =
  | 'database'
  | 'blob'
  | 'statement'
  | 'context-set'
  | 'graph'
  | 'attachment'
  | 'duplicate'
  | 'index'
  | 'membership'
  | 'count'
  | 'job'
  | 'result'
  | 'record'
  | 'name'
  | 'folder'
  | 'search-entry'
  | 'retraction'
  | 'credential'
  | 'status-entry'
  | 'status-list'
  | 'sealed'
  | 'log'
  | 'upload'
  | 'import';

/** Something in a store that is not as it should be. */
export interface StoreProblem {
  readonly kind: ProblemKind;
  /** A CID, a UUID, or a name inside the store. */
  readonly id: string;
  /** What is wrong, and what to do if only an operator can help. */
  readonly problem: string;
  /**
   * An orphan takes space and does no harm. Unfinished work was never acknowledged, and a repeat of its request finishes it.
   * Damage makes an answer wrong or incomplete.
   */
  readonly severity: 'damage' | 'unfinished' | 'orphan';
  /** Whether a repair has corrected it, or could. */
  readonly repair: 'done' | 'possible' | 'none';
}

/** An entry of a store that cannot be read as what it should be. */
export interface Unreadable {
  readonly id: string;
  readonly problem: string;
}

/** Storing it again does not help, because the store already has its name. */
const restore =
  'Restore it from a backup; or move to another store with "cairn migrate", which leaves it out, and store it again there.';

/** Damaged content, which only a backup brings back. */
export function lost(kind: ProblemKind, id: string, problem: string, advice = restore): StoreProblem {
  return { kind, id, problem: `${problem}. ${advice}`, severity: 'damage', repair: 'none' };
}

/** Whether a run repairs what it finds, or only reports it. */
export interface Repairing {
  readonly repair: boolean;
}

function correctable(severity: StoreProblem['severity']) {
  return (kind: ProblemKind, id: string, problem: string, { repair }: Repairing): StoreProblem => ({
    kind,
    id,
    problem,
    severity,
    repair: repair ? 'done' : 'possible',
  });
}

/** Damaged data that can be computed again from the content. */
export const repairable = correctable('damage');

/** What a request that has not ended leaves out. A store cannot tell it from a loss of the same derived data. */
export const unfinished = correctable('unfinished');

export const orphan = correctable('orphan');

/** Something harmless that Cairn has not stored. */
export function unknownEntry(kind: ProblemKind, { id, problem }: Unreadable): StoreProblem {
  return { kind, id, problem: `${problem}. Move it away.`, severity: 'orphan', repair: 'none' };
}

export function strayBlob(name: string): StoreProblem {
  return unknownEntry('blob', { id: name, problem: 'This file is not a blob, or is in the wrong folder' });
}

/** The message of an error that damaged bytes cause, without its full stop. Throws any other error again. */
export function messageOfDamage(error: unknown): string {
  if (error instanceof ServiceError && error.retryAfter === undefined && error.code !== 'storage_full')
    return error.message.replace(/\.$/, '');
  throw error;
}

/** What is wrong with a record, if anything. */
export function recordProblem(shape: z.ZodType, record: unknown): string | undefined {
  const { error } = shape.safeParse(record);
  return error && `Its record is damaged: ${z.prettifyError(error)}`.replaceAll('\n', ' ');
}
