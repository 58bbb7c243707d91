import type { Context } from 'hono';
import type { Bucket } from '../../../domain/bucket.ts';
import type { SealedPart } from '../../../domain/control-plane/gateway/runtime-records.ts';
import { readSealed } from '../../../domain/control-plane/gateway/sealed-contents.ts';
import type { AppEnv } from '../../../platform/http/app-env.ts';
import { type Answered, wholeAnswer } from '../../answering.ts';

/** RFC 9110, section 8.3.1. Other texts could not be sent as a header. */
const mediaType = /^[\w!#$%&'*+.^`|~-]{1,127}\/[\w!#$%&'*+.^`|~-]{1,127}(?:;[\t\x20-\x7e]{0,500})?$/;
const unknownType = 'application/octet-stream';

/** Browsers must download what an agent sent, and never run or render it in the name of this service. */
const cautions = {
  'content-disposition': 'attachment',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

/** Answers the bytes of a record, after they were compared with their CID. @throws ServiceError `damaged`. */
export async function sealedAnswer<Caller>(
  context: Context<AppEnv<Caller>>,
  contents: Pick<Bucket, 'read'>,
  part: SealedPart,
  contentType = unknownType,
): Promise<Answered> {
  using reading = context.get('account').another();
  reading.take(part.size);
  const bytes = await readSealed(contents, part);
  reading[Symbol.dispose]();
  const type = mediaType.test(contentType) ? contentType : unknownType;
  return wholeAnswer(context, bytes, { ...cautions, 'content-type': type });
}
