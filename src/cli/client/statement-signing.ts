import { messageOf } from '../../domain/errors.ts';
import { cidUrn } from '../../domain/integrity/identifiers/cid.ts';
import { statementTime } from '../../domain/integrity/identifiers/timestamp.ts';
import type { ContextSource } from '../../domain/integrity/ports.ts';
import { addProof } from '../../domain/integrity/proofs/data-integrity.ts';
import {
  credentialRegistration,
  statementCredential,
} from '../../domain/integrity/signatures/statement-credential.ts';
import type { Signer } from '../../domain/integrity/signer.ts';
import { openSigner } from '../../platform/key-file-signer.ts';
import { failUsage } from '../terminal/failure.ts';
import { LocalIdentifier } from './local-identifier.ts';

/**
 * Signs a credential about a statement. @returns the statement that registers it, in its RFC 8785 form.
 * @throws ServiceError if the bytes are not a valid statement.
 */
export type SignStatement = (statement: Uint8Array) => Promise<Uint8Array>;

/**
 * The time is that of the statement, so that signing it again gives the same credential (with Ed25519, whose signatures do
 * not vary).
 * @throws Failure (usage) for an unusable key.
 */
export async function openStatementSigning(
  keyFile: string,
  sources: readonly ContextSource[],
): Promise<StatementSigning> {
  const signer = await openSigner(keyFile, { mayCreate: false }).catch((error: unknown) =>
    failUsage(`${messageOf(error)} Make a key with: cairn key create ${keyFile}`),
  );
  return signingWith(signer, sources);
}

interface StatementSigning {
  readonly did: string;
  readonly sign: SignStatement;
}

export function signingWith(signer: Signer, sources: readonly ContextSource[]): StatementSigning {
  const identifier = new LocalIdentifier(sources);
  const sign: SignStatement = async (statement) => {
    const { rdfcCid, time } = await identifier.identify(statement);
    const created = time === null ? new Date() : new Date(time);
    const text = statementTime(created);
    const unsigned = statementCredential(cidUrn(rdfcCid), signer.did, text);
    const credential = await addProof({ identifier, signer }, unsigned, { created });
    const registration = credentialRegistration(credential, signer.did, text);
    const { jcs } = await identifier.identify(Buffer.from(JSON.stringify(registration)));
    return Buffer.from(jcs);
  };
  return { did: signer.did, sign };
}
