import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Context } from 'hono';
import { ServiceError } from '../../domain/errors.ts';
import { type BlobLimit, throwTooLarge } from '../../domain/integrity/blobs/upload.ts';
import type { AppEnv } from './app-env.ts';
import { assertContentType, readBody } from './body.ts';

const unzip = promisify(gunzip);

/**
 * Reads a whole body of one of these types, which may be compressed with gzip. The limit counts for both forms.
 * @throws ServiceError `unsupported_media_type`, `too_large`, `invalid_request`; those of `readBody`.
 */
export async function readCompressibleBody<Caller>(
  context: Context<AppEnv<Caller>>,
  types: readonly string[],
  limit: BlobLimit,
): Promise<{ readonly type: string; readonly bytes: Uint8Array }> {
  const type = assertContentType(context, types, true, ['identity', 'gzip']);
  const body = await readBody(context, limit);
  if (context.req.header('content-encoding')?.toLowerCase() !== 'gzip') return { type, bytes: body };
  const bytes = await unzipped(body, limit);
  context.get('account').take(bytes.length);
  return { type, bytes };
}

async function unzipped(body: Uint8Array, limit: BlobLimit): Promise<Uint8Array> {
  try {
    return await unzip(body, { maxOutputLength: limit.bytes });
  } catch (error) {
    if (error instanceof RangeError) throwTooLarge(limit);
    throw new ServiceError(
      'invalid_request',
      'The body is not compressed with gzip, as Content-Encoding says.',
      {
        cause: error,
      },
    );
  }
}
