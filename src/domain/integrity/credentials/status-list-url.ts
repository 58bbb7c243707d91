const path = '/credentials/v1/status-lists/';
const listId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What `statusListCredential` names. */
export function statusListUrl({ base, id }: { readonly base: string; readonly id: string }): string {
  return `${base}${path}${id}`;
}

/** The base and the list id of such a URL; undefined for any other text. */
export function parseStatusListUrl(url: string): { base: string; id: string } | undefined {
  const at = url.lastIndexOf(path);
  const id = url.slice(at + path.length);
  return at >= 0 && listId.test(id) ? { base: url.slice(0, at), id } : undefined;
}
