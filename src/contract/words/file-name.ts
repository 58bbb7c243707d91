const longestName = 120;
/** Names that Windows reserves for devices. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;
const anyExtension = /\.[a-z][a-z0-9]{0,9}$/i;

/**
 * A safe name for a file that holds something: the last part of its name, without what has a meaning in paths, shells and
 * headers.
 * @param fallback for things without a name, or without one that is safe.
 * @param extension with a dot, for names without any. Default: none.
 */
export function fileName(name: string | undefined, fallback: string, extension = ''): string {
  const safe = [name, fallback].map(safePart).find((one) => one !== '') ?? 'download';
  return anyExtension.test(safe) ? safe : `${safe}${extension}`;
}

/** By codec: RFC 8785 JSON, and the canonical N-Quads of a statement. */
const extensions: Readonly<Record<number, string>> = { 46593: '.json', 46083: '.nq' };

/** A safe name for a file with the bytes of a CID. @param name of these bytes, if they have one. */
export function contentFileName(
  name: string | undefined,
  { text, codec }: { readonly text: string; readonly codec: number },
): string {
  return fileName(name, text, extensions[codec]);
}

function safePart(text = ''): string {
  const last = text.split(/[/\\]/).findLast((part) => part.trim() !== '') ?? '';
  const plain = last
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .replaceAll(/[<>:"|?*]/g, '-')
    .replaceAll(/^[\s.-]+|[\s.]+$/g, '');
  const [end = ''] = anyExtension.exec(plain) ?? [];
  const start = [...plain.slice(0, plain.length - end.length)].slice(0, longestName).join('');
  return `${start}${end}`.replace(device, '_$&');
}
