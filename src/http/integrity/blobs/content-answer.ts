import type { Context } from 'hono';
import type { Visibility } from '../../../domain/access/visibility.ts';
import { ServiceError } from '../../../domain/errors.ts';
import {
  type ContentPorts,
  contentSize,
  hasContent,
  openContent,
} from '../../../domain/integrity/blobs/content.ts';
import type { Cid } from '../../../domain/integrity/identifiers/cid.ts';
import { byteAnswer } from './byte-answer.ts';

/** Content is somebody else's: it is downloaded, never run or rendered in the name of this service. */
const cautions = {
  'content-type': 'application/octet-stream',
  'content-disposition': 'attachment',
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, max-age=31536000, immutable',
};

/** GET and HEAD of what a CID names. */
export async function contentAnswer(
  context: Context,
  ports: ContentPorts,
  cid: Cid,
  visibility: Visibility,
): Promise<Response> {
  const served = {
    tag: cid.text,
    exists: () => hasContent(ports, cid, visibility),
    size: () => contentSize(ports, cid, visibility),
    open: (range: Parameters<typeof openContent>[3]) => openContent(ports, cid, visibility, range),
    refuse: () => refuseUnknown(cid),
  };
  return await byteAnswer(context, served, cautions);
}

export function refuseUnknown(cid: Cid): never {
  throw new ServiceError('not_found', `Nothing is stored under ${cid.text}.`);
}
