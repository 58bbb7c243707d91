import { Buffer } from 'buffer/index.js';

// The package knows neither base64url nor what browsers do natively, which is ten times as quick.

const utf8 = new Set(['utf8', 'utf-8', 'UTF-8', undefined]);
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const { from } = Buffer;
const { toString: textOf } = Buffer.prototype;

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  from(buffer as ArrayBuffer, byteOffset, byteLength);

Buffer.from = ((value: unknown, encoding?: unknown, length?: number) => {
  if (typeof value !== 'string') return from(value as ArrayBuffer, encoding as number, length);
  if (utf8.has(encoding as string)) return bufferOf(encoder.encode(value));
  return from(value, encoding === 'base64url' ? 'base64' : (encoding as 'hex'));
}) as typeof Buffer.from;

Buffer.byteLength = (value: string | ArrayBuffer | ArrayBufferView) =>
  typeof value === 'string' ? encoder.encode(value).length : value.byteLength;

Buffer.prototype.toString = function (this: Buffer, encoding?: BufferEncoding, start = 0, end = this.length) {
  if (utf8.has(encoding)) return decoder.decode(this.subarray(start, end));
  if (encoding !== 'base64url') return textOf.call(this, encoding, start, end);
  if ('toBase64' in Uint8Array.prototype)
    return this.subarray(start, end).toBase64({ alphabet: 'base64url', omitPadding: true });
  return textOf.call(this, 'base64', start, end).replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_');
};

export { Buffer };
