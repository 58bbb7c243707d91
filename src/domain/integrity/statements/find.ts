import { throwBadCursor } from '../../cursors.ts';
import { ServiceError } from '../../errors.ts';
import { blobSizeFor, type ReachedBlobs } from '../access/statement-scope.ts';
import { namesOfKnown, noSameBytes } from '../blobs/same-bytes.ts';
import { type FolderMember, type Folders, isFileId } from '../folders/folders.ts';
import { type Cid, cidIn, cidUrn, codecs } from '../identifiers/cid.ts';
import type { Page, StatementScope, StoredStatement } from '../ports.ts';
import type { StatementIndex } from './questions.ts';

export interface FindPorts extends ReachedBlobs {
  readonly statementIndex: Pick<StatementIndex, 'form' | 'forms' | 'references' | 'referringTo'>;
  readonly folders: Folders;
}

interface FoundStatement {
  readonly statement: StoredStatement;
  /** The field with the identifier; `self` if it identifies the statement. */
  readonly role: string;
}

export interface Findings {
  readonly blob: { readonly size: number; readonly codec: string } | null;
  readonly statements: readonly FoundStatement[];
  readonly variants: readonly Cid[];
  /** On the first page: the folders that have it as a file. */
  readonly folders?: readonly FolderMember[];
  /** On the first page: how many files it has as a folder. */
  readonly files?: number;
  readonly next?: string;
}

/** First characters of cursors: whether to continue with forms of the statement or with references. */
const amongForms = 'f';
const amongReferences = 'r';

/**
 * Everything known about an identifier: first the statement with this id, then the statements that refer to it, or to the same
 * bytes by another name.
 * @param identifier normalized as in references.
 * @throws ServiceError `not_found`, `invalid_request` for a wrong cursor.
 */
export async function findIdentifier(
  { statementIndex, folders, ...ports }: FindPorts,
  identifier: string,
  page: Page,
  scope: StatementScope,
): Promise<Findings> {
  const cid = cidIn(identifier);
  const known = (await ports.sameBytes.withReferences([identifier])).get(identifier);
  const sameBytes = known ? ports.sameBytes : noSameBytes;
  const size = await blobSizeFor({ ...ports, sameBytes }, identifier, scope);
  const own = await ownForms(statementIndex, cid, page, scope);
  const names = namesOfKnown(identifier, known);
  const room = page.limit - own.variants.length;
  const rest =
    own.next === undefined ? await referencesTo(statementIndex, names, { ...page, limit: room }, scope) : {};
  const next = own.next ?? rest.next;
  const statements = [...own.statements, ...(rest.statements ?? [])];
  const isFirst = page.after === null;
  const [containing] = isFirst
    ? (await folders.foldersOf(names.filter(isFileId), statementIndex, scope)).values()
    : [];
  const files = isFirst ? await folders.filesIn(identifier, statementIndex, scope) : undefined;
  const isUnknown = size === undefined && statements.length === 0 && next === undefined;
  if (isFirst && isUnknown && !containing)
    throw new ServiceError('not_found', `Nothing that you may see is known of ${identifier}.`);
  const codec = cid && (codecNames.get(cid.codec) ?? `0x${cid.codec.toString(16)}`);
  return {
    blob: codec && size !== undefined ? { size, codec } : null,
    statements,
    variants: own.variants,
    ...(containing && containing.length > 0 && { folders: containing }),
    ...(files !== undefined && { files }),
    ...(next !== undefined && { next }),
  };
}

type Part = Pick<Findings, 'statements' | 'variants' | 'next'>;
const nothing: Part = { statements: [], variants: [] };

async function ownForms(
  index: FindPorts['statementIndex'],
  cid: Cid | undefined,
  { after, limit }: Page,
  scope: StatementScope,
): Promise<Part> {
  if (after?.startsWith(amongReferences)) return nothing;
  const form = cid?.codec === codecs.jcs ? await index.form(cid, scope) : undefined;
  const id = cid?.codec === codecs.rdfc ? cid : form?.rdfcCid;
  if (after !== null && !(id && after.startsWith(amongForms))) throwBadCursor();
  if (!id) return nothing;
  const forms = await index.forms(id, { after: after?.slice(1) ?? null, limit }, scope);
  const self = form ?? forms.statements[0];
  return {
    statements: after === null && self ? [{ statement: self, role: 'self' }] : [],
    variants: forms.statements.map(({ jcsCid }) => jcsCid),
    ...(forms.next !== undefined && { next: amongForms + forms.next }),
  };
}

async function referencesTo(
  index: FindPorts['statementIndex'],
  identifiers: readonly string[],
  { after, limit: room }: Page,
  scope: StatementScope,
): Promise<Partial<Part>> {
  const from = after?.startsWith(amongReferences) ? after.slice(1) : null;
  const page = { after: from || null, limit: Math.max(room, 1) };
  const { references, next } = await index.references(identifiers, page, scope);
  if (room > 0)
    return { statements: references, ...(next !== undefined && { next: amongReferences + next }) };
  return references.length > 0 || next !== undefined ? { next: amongReferences } : {};
}

/** The id of the credential of a statement. Without an own id, it is the id of the statement. */
export function credentialId({ kind, jcs, rdfcCid }: StoredStatement): string | undefined {
  if (kind !== 'CredentialRegistration') return undefined;
  const { credential } = JSON.parse(new TextDecoder().decode(jcs));
  return typeof credential?.id === 'string' ? credential.id : cidUrn(rdfcCid);
}

/** The names of multicodecs. Others are shown as numbers. */
const codecNames = new Map<number, string>([
  [codecs.raw, 'raw'],
  [codecs.hashSequence, 'blake3-hashseq'],
  [codecs.jcs, 'json-jcs'],
  [codecs.rdfc, 'rdfc-1'],
  [codecs.dagCbor, 'dag-cbor'],
]);
