import { create } from 'content-disposition';
import type { Context } from 'hono';
import { contentFileName, fileName } from '../contract/words/file-name.ts';
import type { Principal } from '../domain/access/access.ts';
import { type Cid, urnsOfBytes } from '../domain/integrity/identifiers/cid.ts';
import type { ManifestForm } from '../domain/integrity/manifest/carrier.ts';
import type { NameIndex } from '../domain/integrity/names/name-index.ts';
import type { GraphStore } from '../domain/integrity/ports.ts';

/**
 * A Content-Disposition that names a download (RFC 6266).
 * @param type `inline` for what pages may show.
 */
export function disposition(name: string, type: 'attachment' | 'inline' = 'attachment'): string {
  return create(name, { type });
}

/** Names a manifest after its first graph. @param graphIds null for all. */
export async function manifestDisposition(
  graphs: Pick<GraphStore, 'get'>,
  graphIds: readonly string[] | null,
  form: ManifestForm,
): Promise<string> {
  const [first] = graphIds ?? [];
  const graph = first === undefined ? undefined : await graphs.get(first);
  return disposition(`${fileName(graph?.name, 'cairn-evidence')}.${form}`);
}

/**
 * The Content-Disposition for the bytes of a CID, with the name that the caller may know.
 *
 * Programs do not use it, and finding out what a caller may see can take many questions to an auth service. Then only
 * browsers that open a link get a name.
 */
export async function blobDisposition(
  names: Pick<NameIndex, 'of'>,
  context: Context,
  { issuer, subject, grants }: Principal,
  cid: Cid,
): Promise<string> {
  const isOpened = context.req.header('sec-fetch-mode') === 'navigate';
  const isNamed = context.req.header('range') === undefined && (isOpened || !grants.isOpenEnded);
  const ids = urnsOfBytes(cid);
  const viewer = { issuer, subject };
  const found = isNamed
    ? await names.of(ids, { graphId: null, visibility: await grants.visible(), viewer })
    : undefined;
  const name = ids.map((id) => found?.get(id)).find((one) => one !== undefined);
  return disposition(contentFileName(name, cid));
}
