import type { JsonObject } from '../../../json/is-object.ts';
import type { KnownBytes } from '../../blobs/same-bytes.ts';
import { cidIn, codecs, digestHex, statementStart } from '../../identifiers/cid.ts';
import { statementNode } from '../../lineage/edges.ts';
import type { ReferringStatement } from '../../statements/rows.ts';
import type { Artefact, UnknownCode } from '../facts.ts';
import { type Ancestry, artefactOf } from './ancestry.ts';
import type { Bills, NamedFile } from './bill-facts.ts';
import type { ComputationFound } from './computation-facts.ts';
import type { Description } from './descriptions.ts';
import { governanceFacts } from './governance-facts.ts';
import type { Knowledge } from './knowledge.ts';
import { inField } from './statements-about.ts';

/** The statements that say so are listed up to this many. */
const statementsShown = 20;

/** What lacks something if statements about a thing are left out. */
const factLists = ['signed_by', 'signatures', 'names', 'kinds', 'model_signatures'];
const governedLists = ['reviews', 'declarations', 'certificates', 'memberships'];

interface Found {
  readonly ancestry: Ancestry;
  readonly knowledge: Knowledge;
  readonly descriptions: readonly Description[];
  readonly computations: ReadonlyMap<string, ComputationFound>;
  /** What bills of materials list. */
  readonly bills: Bills;
}

/** A thing with what is stated about it. */
export function artefactFacts(
  node: string,
  { ancestry, knowledge, descriptions, computations, bills }: Found,
): Artefact {
  const id = artefactOf(node);
  const bytes = knowledge.bytesOf(node);
  const registrations = knowledge.statements(node, 'DataRegistration');
  const metadata = knowledge.statements(node, 'MetadataRegistration');
  const { own, signatures, isCut } = signaturesOf(node, knowledge);
  const { lacksDocument, ...governed } = governanceFacts(
    knowledge.statements(node, 'GovernanceRegistration'),
    knowledge,
  );
  const madeBy = ancestry.madeBy.get(node) ?? [];
  const isAncestryCut = ancestry.isCut && (ancestry.cut.has(node) || !ancestry.madeBy.has(node));
  const { unknown: noBill, cut: cutBills = [], ...billed } = bills;
  const log = registrations
    .map((one) => knowledge.logged(statementNode(one)))
    .find((one) => one !== undefined);
  const isUndescribed =
    descriptions.every(({ said }) => said === undefined) &&
    namedFiles(node, knowledge).some(({ file }) => !knowledge.documents.isRead(file));
  const isPartlyDescribed = descriptions.some(({ said }) => said === undefined);
  const described = describedArtefact(id, descriptions, ancestry.paths.get(node) ?? [], bytes);
  const lacks = (field: 'kind' | 'name' | 'media_type') =>
    isPartlyDescribed && described[field] === undefined;
  const unknown: Record<string, UnknownCode> = {
    ...noBill,
    ...(!log && { log: 'no_log_proof' }),
    ...(!bytes && cidIn(id)?.codec === codecs.raw && { size: 'bytes_missing' }),
    ...((isUndescribed || lacks('kind')) && { kind: 'bytes_missing' }),
    ...((isUndescribed || lacks('name')) && { name: 'bytes_missing' }),
    ...(lacks('media_type') && { media_type: 'bytes_missing' }),
  };
  const cut = [
    ...(knowledge.isCut(node) ? [...factLists, ...governedLists] : []),
    ...(isCut ? ['signatures', 'model_signatures'] : []),
    ...(lacksDocument ? governedLists : []),
    ...(isPartlyDescribed ? ['kinds', 'names', 'metadata'] : []),
    ...cutBills,
    ...(isAncestryCut ? ['made_by'] : []),
    ...(isAncestryCut || madeBy.some((one) => computations.get(one)?.lacksDocument) ? ['provenance'] : []),
  ];
  return {
    ...described,
    made_by: madeBy,
    signatures,
    ...governed,
    provenance: madeBy.flatMap((one) => computations.get(one)?.provenance ?? []),
    ...billed,
    model_signatures: own.filter(({ kind }) => kind === 'dsse' || kind === 'sigstore'),
    statements: [...registrations, ...metadata].slice(0, statementsShown).map(statementNode),
    said_by: saidBy(descriptions, registrations),
    ...(log && { log }),
    unknown,
    ...(cut.length > 0 && { cut: [...new Set(cut)] }),
  };
}

/** Only what metadata and registrations say rests on them. Bytes speak for themselves, and signatures have statements of their own. */
function saidBy(descriptions: readonly Description[], registrations: readonly ReferringStatement[]) {
  const all = descriptions.map(({ statement }) => statement);
  const first = (field: 'kind' | 'name') => descriptions.find((one) => one[field] !== undefined)?.statement;
  const [kind, name] = [first('kind'), first('name')];
  const nothing = { id: [], hashes: [], size: [], signed_by: [], signers: [] };
  return {
    ...nothing,
    kind: kind === undefined ? [] : [kind],
    name: name === undefined ? [] : [name],
    ...{ kinds: all, names: all, media_type: all, metadata: all },
    log: registrations.map(statementNode),
  };
}

/** The files that metadata names. */
export function namedFiles(node: string, knowledge: Knowledge): NamedFile[] {
  return knowledge
    .statements(node, 'MetadataRegistration')
    .flatMap((one) => inField(one, 'metadata').map((file) => ({ file, statement: statementNode(one) })));
}

/**
 * What metadata says of a thing, and its bytes as far as they are known. Where one word counts, a document that is lacking hides what
 * those after it say.
 */
function describedArtefact(
  id: string,
  descriptions: readonly Description[],
  paths: readonly string[],
  bytes: KnownBytes | undefined,
): Artefact {
  const isFolder = cidIn(id)?.codec === codecs.hashSequence;
  const kinds = distinct([isFolder ? 'folder' : undefined, ...descriptions.map(({ kind }) => kind)]);
  const names = distinct([...descriptions.map(({ name }) => name), ...paths]);
  const lacking = descriptions.findIndex(({ said }) => said === undefined);
  const sure = lacking === -1 ? descriptions : descriptions.slice(0, lacking);
  const kind = isFolder ? 'folder' : sure.find((one) => one.kind !== undefined)?.kind;
  const name = sure.find((one) => one.name !== undefined)?.name ?? (lacking === -1 ? paths[0] : undefined);
  const metadata: JsonObject = Object.assign({}, ...sure.toReversed().map(({ said }) => said));
  const types = [metadata.media_type, metadata.mediaType, metadata.format];
  const mediaType = types.find((one) => typeof one === 'string');
  return {
    id,
    ...(kind !== undefined && { kind }),
    kinds,
    ...(name !== undefined && { name }),
    names,
    hashes: hashesOf(id, bytes),
    ...(bytes && { size: bytes.size }),
    ...(mediaType !== undefined && { media_type: mediaType }),
    metadata,
  };
}

function distinct(texts: readonly (string | undefined)[]): string[] {
  return [...new Set(texts.filter((one) => one !== undefined))];
}

/** A folder is called by the digest of its list, which is no digest of its content. */
function hashesOf(id: string, bytes: KnownBytes | undefined): JsonObject {
  const hashes: Record<string, string> = {};
  for (const name of [id, ...(bytes?.names ?? [])]) {
    const cid = cidIn(name);
    if (cid?.codec === codecs.raw) hashes[cid.multihash === 'blake3' ? 'blake3' : 'sha256'] = digestHex(cid);
  }
  return hashes;
}

/** Signatures over a thing itself come first, then those of its registrations. */
function signaturesOf(node: string, knowledge: Knowledge) {
  const itself = [...knowledge.namesOf(node), ...(node.startsWith(statementStart) ? [node] : [])];
  const direct = [...new Set(itself)].map((name) => knowledge.signed(name));
  const registered = knowledge
    .statements(node, 'DataRegistration')
    .map((one) => knowledge.signed(statementNode(one)));
  const all = [...direct, ...registered];
  return {
    own: direct.flatMap(({ signatures }) => signatures),
    signatures: all.flatMap(({ signatures }) => signatures),
    isCut: all.some(({ isCut }) => isCut),
  };
}
