export function bareId(id: string): string {
  return id.replace(/^urn:(?:cid|uuid):/, '');
}

/** The two ends of an identifier, which distinguish it from others. */
export function shortId(id: string): string {
  const bare = bareId(id);
  if (bare.length <= 24) return bare;
  return `${bare.slice(0, bare.startsWith('did:') ? 14 : 9)}…${bare.slice(-6)}`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Foreign text on a page: characters that are invisible or change the direction of other text are replaced. */
export function harmless(text: string, most = 200): string {
  const shown = text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
  return shown.replaceAll(/(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '\ufffd');
}
