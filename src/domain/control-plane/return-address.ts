const longest = 500;

/** Blanks, control characters and backslashes, which browsers drop or read as slashes. */
const odd = /[\s\p{Cc}\\]/u;
/** The same and slashes, percent-encoded in a path. In a query they are part of a value. */
const oddInPath = /^[^?#]*%(?:[01][\da-f]|2f|5c|7f)/i;

/**
 * Where a browser goes after a login: the requested address if it is inside the user interface, otherwise the start
 * page. This prevents open redirects.
 * @param base the address of the user interface, without query and fragment.
 */
export function returnAddress(asked: string | undefined, base: string): string {
  const entry = new URL(base);
  if (asked === undefined || asked === '' || asked.length > longest) return entry.href;
  if (odd.test(asked) || oddInPath.test(asked)) return entry.href;
  const isPath = asked.startsWith('/') && !asked.startsWith('//');
  if (!isPath && !asked.startsWith(`${entry.origin}/`)) return entry.href;
  if (!URL.canParse(asked, entry)) return entry.href;
  const target = new URL(asked, entry);
  const folder = entry.pathname.replace(/\/$/, '');
  const isInside = target.pathname === folder || target.pathname.startsWith(`${folder}/`);
  const isShort = target.href.length <= entry.href.length + longest;
  return target.origin === entry.origin && isInside && isShort ? target.href : entry.href;
}
