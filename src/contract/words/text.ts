/** An identifier without its URN prefix. Nodes of a lineage that are drawn once in each graph have the graph behind a `#`. */
export function bareId(id: string): string {
  return id.replace(/^(urn:cid:[a-z2-7]+)#.*$/, '$1').replace(/^urn:(?:cid|uuid):/, '');
}

/** The start and end of an identifier, which distinguish it from others, such as `bafkr4iae…kz5qe4`. */
export function shortId(id: string): string {
  const bare = bareId(id);
  if (bare.length <= 24) return bare;
  return `${bare.slice(0, bare.startsWith('did:') ? 14 : 9)}…${bare.slice(-6)}`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** Foreign text on a page: characters that are invisible or change the direction of other text are replaced. */
export function harmless(text: string, most = 200): string {
  const shown = text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
  return shown.replaceAll(/(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '\ufffd');
}

/** A long name without its middle, because names differ at their starts and ends. */
export function briefName(name: string, most = 96): string {
  if (name.length <= most) return name;
  return `${name.slice(0, most / 2)} … ${name.slice(-most / 2)}`.toWellFormed();
}

/** The end of a long path, from a slash if possible, because it distinguishes files. */
export function pathEnd(path: string, length: number): string {
  const letters = [...path];
  if (letters.length <= length) return path;
  const end = letters.slice(1 - length).join('');
  const folder = end.indexOf('/');
  return `…${folder < 0 || folder > end.length - 6 ? end : end.slice(folder)}`;
}
