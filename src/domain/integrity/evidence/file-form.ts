// What the first bytes of a file tell.

const blanks = new Set(Buffer.from('\ufeff \t\r\n'));

function startsWith(file: Uint8Array, character: string): boolean {
  return file.find((byte) => !blanks.has(byte)) === character.charCodeAt(0);
}

/** Whether a file starts as XML does. */
export function isXml(file: Uint8Array): boolean {
  return startsWith(file, '<');
}

/** Whether a file starts as a list in JSON does. */
export function isList(file: Uint8Array): boolean {
  return startsWith(file, '[');
}

const byteOrderMark = Buffer.from('\ufeff');

/** Some editors and shells write a byte order mark, which JSON does not have. */
export function withoutMark(file: Uint8Array): Uint8Array {
  return byteOrderMark.compare(file.subarray(0, 3)) === 0 ? file.subarray(3) : file;
}

/** Whether a file is in UTF-16, as some shells write what a program prints. */
export function isUtf16([first, second]: Uint8Array): boolean {
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return hasMark || (first === 0) !== (second === 0);
}

/** Formats of compressed files by their first bytes. */
const packings = Object.entries({ '1f8b': 'gzip', '28b52ffd': 'zstd', '504b0304': 'zip' });

/** How a file is compressed, as far as its first bytes tell. */
export function packingOf(file: Uint8Array): string | undefined {
  const start = Buffer.from(file.subarray(0, 4)).toString('hex');
  return packings.find(([magic]) => start.startsWith(magic))?.[1];
}
