import { ownContextUrl } from '../../domain/integrity/contexts/own.ts';
import { jcs } from '../../domain/integrity/identification/jcs.ts';
import { cidOf, cidUrn, codecs } from '../../domain/integrity/identifiers/cid.ts';
import { statementTime } from '../../domain/integrity/identifiers/timestamp.ts';
import type { Signer } from '../../domain/integrity/signer.ts';
import { LocalIdentifier } from './local-identifier.ts';
import { signingWith } from './statement-signing.ts';
import { blobInMemory, type KnownBlob } from './upload-blob.ts';

export interface SelfNaming {
  readonly document: KnownBlob;
  /** In their RFC 8785 form: what the DID is called, and its signature. */
  readonly statements: readonly Uint8Array[];
}

/** What a DID has to say and sign to have a name. With Ed25519, the same name and time give the same statements. */
export async function selfNaming(signer: Signer, name: string, time: Date): Promise<SelfNaming> {
  const bytes = Buffer.from(jcs({ name }));
  const cid = cidOf(codecs.jcs, bytes);
  const statement = {
    '@context': ownContextUrl,
    '@type': 'MetadataRegistration',
    registeredBy: signer.did,
    timestamp: statementTime(time),
    subject: signer.did,
    metadata: cidUrn(cid),
  };
  const identified = await new LocalIdentifier([]).identify(Buffer.from(JSON.stringify(statement)));
  const naming = Buffer.from(identified.jcs);
  const signature = await signingWith(signer, []).sign(naming);
  return { document: blobInMemory(cid, bytes), statements: [naming, signature] };
}
