import { BSON } from 'mongodb';
import { ServiceError } from '../../../domain/errors.ts';
import { codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import { referenceCount, type UnpackedRow } from '../../../domain/integrity/statements/packed-rows.ts';
import { describedDocument, describedRow } from './statement-documents.ts';

/** The server's limit for one document, with some room for graphs that the statement joins later. */
const mostBytes = (16 << 20) - (1 << 20);
/** Statements with fewer bytes and references always fit. */
const plainBytes = 4 << 20;
const plainReferences = 10_000;

/** @throws ServiceError `too_large` for a statement that does not fit into a document with its references. */
export function assertSize(rows: readonly UnpackedRow[]): void {
  for (const row of rows) {
    if (row.jcs.length < plainBytes && referenceCount(row.references) < plainReferences) continue;
    const bytes = row.jcs.length + BSON.calculateObjectSize(describedDocument(describedRow(row)));
    if (bytes > mostBytes) throwTooLarge(row, bytes);
  }
}

function throwTooLarge({ jcsDigest }: UnpackedRow, bytes: number): never {
  throw new ServiceError(
    'too_large',
    `The statement ${makeCid(codecs.jcs, jcsDigest).text} takes ${bytes} bytes with its references, more than the ${mostBytes} that ` +
      'the database holds in one document. Divide it into several statements.',
  );
}
