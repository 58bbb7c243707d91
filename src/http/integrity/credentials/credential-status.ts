import type { z } from 'zod';
import {
  credentialStatus,
  credentialStatusQuery,
  statusListParams,
} from '../../../contract/integrity/credentials.ts';
import { jsonObject } from '../../../contract/values.ts';
import { fileName } from '../../../contract/words/file-name.ts';
import { anywhere, known } from '../../../domain/access/access.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { type SignedListPorts, signedStatusList } from '../../../domain/integrity/credentials/signed-list.ts';
import {
  entryAt,
  type StatusPorts,
  statusOf,
  statusUnder,
} from '../../../domain/integrity/credentials/status.ts';
import { cidOf, codecs } from '../../../domain/integrity/identifiers/cid.ts';
import type { App } from '../../../platform/http/app.ts';
import { wholeAnswer } from '../../answering.ts';
import { accepts, errorAnswer, jsonAnswer, notAcceptable, notModified } from '../../answers.ts';
import { isNotModified } from '../../byte-answer.ts';
import { disposition } from '../../download-name.ts';
import { operation } from '../operation.ts';
import { credentialTag } from './credentials.ts';

export interface CredentialStatusRoutes {
  readonly status: StatusPorts;
  readonly signedLists: SignedListPorts;
  /** Whether anybody may read status lists, without a token. */
  readonly publicStatusLists: boolean;
}

export function credentialStatusRoutes(app: App, ports: CredentialStatusRoutes): void {
  operation(app, 'GET /credentials/v1/status', {
    access: anywhere('view_project_data'),
    tag: credentialTag,
    summary: 'Read whether a credential is revoked or suspended',
    description: 'Name the credential, or one of its entries.',
    query: credentialStatusQuery,
    answers: {
      200: jsonAnswer('The status', credentialStatus),
      404: errorAnswer('The credential, or the entry, is not known'),
    },
    handle: async ({ answer, query }) => {
      const { credentialId, revoked, suspended, entries } = await statusNamed(ports.status, query);
      const shown = entries.map(({ statusPurpose, statusListCredential, statusListIndex, status }) => ({
        statusPurpose,
        statusListCredential,
        statusListIndex,
        status,
      }));
      const status = { credential_id: credentialId, revoked, suspended, entries: shown };
      return answer(200, status, { 'cache-control': 'no-store' });
    },
  });

  operation(app, 'GET /credentials/v1/status-lists/{id}', {
    access: ports.publicStatusLists ? 'public' : known,
    tag: credentialTag,
    summary: 'Read a signed status list',
    description: 'A BitstringStatusListCredential. It shows every status that was stored before the request.',
    params: statusListParams,
    answers: {
      200: {
        description: 'The signed list',
        content: { 'application/vc': { schema: jsonObject }, 'application/json': { schema: jsonObject } },
      },
      304: notModified,
      404: errorAnswer('There is no such list'),
      406: notAcceptable,
    },
    handle: async ({ context, answer, params: { id } }) => {
      const type = accepts(context, ['application/vc', 'application/json']);
      const { text } = await signedStatusList(ports.signedLists, id);
      const etag = `"${cidOf(codecs.jcs, text).text}"`;
      const named = disposition(`status-list-${fileName(id, 'signed')}.json`, 'inline');
      const headers = { etag, 'cache-control': 'no-cache', vary: 'Accept', 'content-disposition': named };
      if (isNotModified(context, etag)) return answer(304, undefined, headers);
      return wholeAnswer(context, text, { ...headers, 'content-type': type });
    },
  });
}

async function statusNamed(ports: StatusPorts, query: z.output<typeof credentialStatusQuery>) {
  const { credential_id: id, status_list_credential: list, status_list_index: index } = query;
  const isEntry = list !== undefined && index !== undefined && id === undefined;
  if (id !== undefined && list === undefined && index === undefined) return await statusOf(ports, id);
  if (!isEntry)
    throw new ServiceError(
      'invalid_request',
      'Name the credential with credential_id, or an entry with status_list_credential and status_list_index.',
    );
  const entry = await entryAt(ports, list, index);
  if (entry) return await statusUnder(ports, [entry.credentialId]);
  throw new ServiceError('not_found', `Entry ${index} of the status list ${list} is not allocated.`);
}
