/** A cookie keeps the address until the browser is back. */
const longest = 500;

/** Blanks, control characters and backslashes, which browsers drop or read as slashes; the same in their percent form. */
const odd = /[\s\p{Cc}\\]|%(?:[01][\da-f]|2f|5c|7f)/iu;

/**
 * Where a browser goes after a login: the place that was asked for where it lies in the user interface, by its path or
 * its whole address; the entry of the user interface otherwise, so that no link can lead anywhere else by a login.
 * @param base the address of the user interface, without query and fragment.
 */
export function returnAddress(asked: string | undefined, base: string): string {
  const entry = new URL(base);
  if (asked === undefined || asked === '' || asked.length > longest || odd.test(asked)) return entry.href;
  const isPath = asked.startsWith('/') && !asked.startsWith('//');
  if (!isPath && !asked.startsWith(`${entry.origin}/`)) return entry.href;
  if (!URL.canParse(asked, entry)) return entry.href;
  const target = new URL(asked, entry);
  const folder = entry.pathname.replace(/\/$/, '');
  const isInside = target.pathname === folder || target.pathname.startsWith(`${folder}/`);
  const isShort = target.href.length <= entry.href.length + longest;
  return target.origin === entry.origin && isInside && isShort ? target.href : entry.href;
}
