import { messageOf, ServiceError } from '../../../domain/errors.ts';
import { cidUrn } from '../../../domain/integrity/identifiers/cid.ts';
import { statementTime } from '../../../domain/integrity/identifiers/timestamp.ts';
import type { ContextSource } from '../../../domain/integrity/ports.ts';
import { addProof, type ProofPorts } from '../../../domain/integrity/proofs/data-integrity.ts';
import {
  credentialRegistration,
  statementCredential,
} from '../../../domain/integrity/signatures/statement-credential.ts';
import { openSigner } from '../../../platform/key-file-signer.ts';
import { failUsage } from '../../terminal/failure.ts';
import { LocalIdentifier } from '../verify/local-identifier.ts';
import type { Refusal, StatementLine } from './batches.ts';
import type { SignBatch } from './ingestion.ts';

/** Signs a credential for each statement and adds its registration. @throws Failure (usage) for an unusable key. */
export async function signingOf(keyFile: string, sources: readonly ContextSource[]): Promise<SignBatch> {
  const signer = await openSigner(keyFile, { mayCreate: false }).catch((error: unknown) =>
    failUsage(`${messageOf(error)} Make a key with: cairn key create ${keyFile}`),
  );
  const identifier = new LocalIdentifier(sources);
  return async ({ statements, refused, end }) => {
    const signed: StatementLine[] = [];
    const unsigned: Refusal[] = [];
    for (const line of statements) {
      const registration = await registrationFor({ identifier, signer }, line);
      if ('reason' in registration) unsigned.push(registration);
      else signed.push(line, registration);
    }
    return { statements: signed, refused: [...refused, ...unsigned], end };
  };
}

/**
 * The time is that of the statement, so that signing it again gives the same credential (with Ed25519, whose signatures do
 * not vary).
 */
async function registrationFor(
  ports: ProofPorts & { readonly identifier: LocalIdentifier },
  { number, bytes }: StatementLine,
): Promise<StatementLine | Refusal> {
  const { identifier, signer } = ports;
  try {
    const { rdfcCid, time } = await identifier.identify(bytes);
    const created = time === null ? new Date() : new Date(time);
    const text = statementTime(created);
    const credential = await addProof(ports, statementCredential(cidUrn(rdfcCid), signer.did, text), {
      created,
    });
    const registration = credentialRegistration(credential, signer.did, text);
    const { jcs } = await identifier.identify(Buffer.from(JSON.stringify(registration)));
    return { number, bytes: Buffer.from(jcs) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { line: number, code: error.code, reason: error.message };
  }
}
