import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MIMEType } from 'node:util';
import { Dicer } from '@fastify/busboy';
import { parse as parseDisposition } from 'content-disposition';
import { messageOf, ServiceError } from '../../domain/errors.ts';

export interface Part {
  /** The file name if the part has one, otherwise the name of the form field. */
  readonly name: string;
  /** Must be read to its end before the next part comes. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** RFC 2046, section 5.1.1. */
const boundaryLimit = 70;

type Headers = Readonly<Record<string, readonly string[] | undefined>>;
interface RawPart {
  readonly headers: Headers;
  readonly bytes: Readable;
}

/**
 * The parts of a multipart/form-data body (RFC 7578) as they arrive.
 * @throws ServiceError `invalid_request` for a body that is not well-formed, or a part without a name.
 */
export async function* multipartParts(
  contentType: string,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Part> {
  const boundary = boundaryOf(contentType);
  const dicer = new Dicer({ boundary });
  const parts = new PassThrough({ objectMode: true });
  let begun = 0;
  let described = 0;
  let current: Readable | undefined;
  // The header event fires before a consumer could listen for it.
  dicer.on('part', (bytes: Readable) => {
    begun += 1;
    current = bytes;
    bytes.on('error', () => undefined);
    bytes.once('header', (headers) => {
      described += 1;
      parts.write({ headers, bytes } satisfies RawPart);
    });
  });
  dicer.once('finish', () => parts.end());
  const end = `--${boundary}--`;
  const beginning = new Beginning(end.length);
  const source = Readable.from(beginning.of(body));
  pipeline(source, dicer).catch((error: unknown) => {
    current?.destroy(malformed(error));
    parts.destroy(malformed(error));
  });
  try {
    for await (const { headers, bytes } of parts as AsyncIterable<RawPart>) {
      yield { name: nameOf(headers), bytes: partBytes(bytes) };
    }
    if (begun !== described) throw malformed(new Error('a part has no headers'));
    if (begun === 0 && beginning.text !== end) throw malformed(new Error('it lacks its boundary'));
  } finally {
    parts.destroy();
    source.destroy();
    dicer.destroy();
  }
}

/** Remembers the first bytes of a stream, in Latin-1. A form without parts consists of its end line alone. */
class Beginning {
  readonly #length: number;
  text = '';

  constructor(length: number) {
    this.#length = length;
  }

  async *of(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      const missing = this.#length - this.text.length;
      if (missing > 0) this.text += Buffer.from(chunk.subarray(0, missing)).toString('latin1');
      yield chunk;
    }
  }
}

async function* partBytes(bytes: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw malformed(error);
  }
}

function boundaryOf(contentType: string): string {
  const boundary = new MIMEType(contentType).params.get('boundary');
  if (boundary && boundary.length > boundaryLimit)
    throw new ServiceError(
      'invalid_request',
      `The boundary of the multipart body has ${boundary.length} characters. The limit is ${boundaryLimit} (RFC 2046).`,
    );
  if (boundary) return boundary;
  throw new ServiceError('invalid_request', 'The Content-Type multipart/form-data must name its boundary.');
}

/** FormData gives this file name to a blob without one (XMLHttpRequest Standard, "append a value to a FormData"). */
const namelessFile = 'blob';

function nameOf(headers: Headers): string {
  const [disposition = ''] = headers['content-disposition'] ?? [];
  // The parser decodes headers as Latin-1, but clients send UTF-8 (RFC 7578, section 5.1).
  const { name, filename } = dispositionParameters(Buffer.from(disposition, 'latin1').toString());
  if (name) return filename && filename !== namelessFile ? filename : name;
  throw new ServiceError(
    'invalid_request',
    'A part of the multipart body has no name. Each part needs Content-Disposition: form-data; name="…".',
  );
}

function dispositionParameters(disposition: string): { name?: string; filename?: string } {
  try {
    return parseDisposition(disposition).parameters;
  } catch {
    return {};
  }
}

function malformed(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError('invalid_request', `The multipart body is not well-formed: ${messageOf(error)}.`, {
    cause: error,
  });
}
