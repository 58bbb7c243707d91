import { didDocumentAnswer } from '../../contract/integrity/credentials.ts';
import { ServiceError } from '../../domain/errors.ts';
import { didDocument } from '../../domain/integrity/proofs/did-web.ts';
import type { Signer } from '../../domain/integrity/signer.ts';
import type { App } from '../../platform/http/app.ts';
import { errorAnswer, jsonAnswer } from '../answers.ts';
import { operation } from './operation.ts';

export interface DidDocumentRoutes {
  readonly signer: Pick<Signer, 'did' | 'keys'>;
  /** Null if the service has none. */
  readonly didWeb: string | null;
}

export function didDocumentRoutes(app: App, { signer, didWeb }: DidDocumentRoutes): void {
  const places = [
    ['GET /.well-known/did.json', 'Read the did:web document of the service'],
    ['GET /did.json', 'Read the same document, if the public URL of the service has a path'],
  ] as const;
  for (const [name, summary] of places)
    operation(app, name, {
      access: 'public',
      tag: 'Credentials',
      summary,
      answers: {
        200: jsonAnswer('The keys of the service: the active one, then former ones', didDocumentAnswer),
        404: errorAnswer('The service has no did:web'),
      },
      handle: ({ answer }) => {
        if (didWeb === null)
          throw new ServiceError(
            'not_found',
            `This service has no did:web, because CAIRN_PUBLIC_URL is not an https URL with a host name. Its key is ${signer.did}.`,
          );
        // Pages of other sites may resolve the DID (The did:web Method, 3.2).
        return answer(200, didDocument(didWeb, signer), { 'access-control-allow-origin': '*' });
      },
    });
}
