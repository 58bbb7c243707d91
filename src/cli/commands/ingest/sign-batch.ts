import { ServiceError } from '../../../domain/errors.ts';
import type { SignStatement } from '../../client/statement-signing.ts';
import type { Batch, Refusal, StatementLine } from './batches.ts';

/** Adds the registration of a signed credential to each statement. */
export async function signBatch(sign: SignStatement, { statements, refused, end }: Batch): Promise<Batch> {
  const signed: StatementLine[] = [];
  const unsigned: Refusal[] = [];
  for (const line of statements) {
    const { number, bytes } = line;
    try {
      signed.push(line, { number, bytes: await sign(bytes) });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      unsigned.push({ line: number, code: error.code, reason: error.message });
    }
  }
  return { statements: signed, refused: [...refused, ...unsigned], end };
}
