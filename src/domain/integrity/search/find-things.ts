import { isVisible } from '../../access/visibility.ts';
import { ServiceError } from '../../errors.ts';
import type { BlobHashRecords } from '../blobs/blob-hashes.ts';
import { cidIn, codecs, isStatementCid } from '../identifiers/cid.ts';
import { uuidIn } from '../identifiers/identifiers.ts';
import type { NameIndex } from '../names/name-index.ts';
import type { Graph, GraphStore, Page, StatementScope, StatementStore } from '../ports.ts';
import { type FindPorts, findIdentifier } from '../statements/find.ts';
import { filesUnder } from './files-under.ts';
import { identifiedBy } from './identified.ts';
import { pastedIdentifier, pastedName } from './pasted.ts';
import type { ThingSearch } from './search.ts';
import { groupOf, type IndexedGroup, indexedGroups } from './search-entries.ts';
import { looserWords, type Words, withoutMarks, wordsIn } from './terms.ts';
import type { Hit, InFolder } from './visible-hits.ts';

export interface FindThingsPorts extends FindPorts {
  readonly search: ThingSearch;
  readonly names: Pick<NameIndex, 'of'>;
  readonly blobHashes: Pick<BlobHashRecords, 'among'>;
  readonly statements: Pick<StatementStore, 'byRdfcCid' | 'byJcsCid'>;
  readonly graphs: Pick<GraphStore, 'get'>;
}

/** A thing that a reader may see. */
export interface FoundThing {
  /** As in references. */
  readonly id: string;
  readonly name: string | null;
  readonly otherNames: readonly string[];
  /** The kind of a statement, or what the identifier says. */
  readonly type: string;
  /** A graph that tells of it. */
  readonly graph: Pick<Graph, 'graphId' | 'name'> | null;
  /** A folder that has it as a file. */
  readonly folder: (InFolder & { readonly name: string | null }) | null;
  /** Of the statement that gives the name, or refers to it or to its folder. */
  readonly time: number | null;
}

export interface ThingPage {
  readonly things: readonly FoundThing[];
  readonly next?: string;
}

type Found = Pick<FoundThing, 'id' | 'type' | 'time'> & {
  readonly names: readonly string[];
  readonly folder?: InFolder | undefined;
  readonly graph: Pick<Graph, 'graphId' | 'name'> | string | null;
};

/**
 * What a text identifies or names, by group. Identified things come first. If there is nothing, words may be separated in
 * another way, and the answer has no next page.
 * @throws ServiceError `invalid_request` for too many words, a part of a digest, or a wrong cursor.
 */
export async function findThings(
  ports: FindThingsPorts,
  text: string,
  { group: wanted, ...page }: Page & { readonly group: IndexedGroup | null },
  scope: StatementScope,
): Promise<ReadonlyMap<IndexedGroup, ThingPage>> {
  const words = wordsIn(pastedName(text));
  const isFirst = page.after === null;
  const identified = isFirst
    ? await identifiedThings(ports, pastedIdentifier(withoutMarks(text)), scope)
    : [];
  const groups = indexedGroups.filter((group) => (wanted ?? group) === group);
  const answer = await thingsIn(ports, groups, { words, identified, page }, scope);
  const looser = isFirst && words && looserWords(words);
  const isEmpty = [...answer.values()].every(({ things, next }) => things.length === 0 && next === undefined);
  if (!looser || !isEmpty) return answer;
  const loose = await thingsIn(ports, groups, { words: looser, identified: [], page }, scope);
  return new Map(Array.from(loose, ([group, { things }]) => [group, { things }]));
}

interface Sought {
  readonly words: Words | undefined;
  readonly identified: readonly Identified[];
  readonly page: Page;
}

async function thingsIn(
  ports: FindThingsPorts,
  groups: readonly IndexedGroup[],
  { words, identified, page }: Sought,
  scope: StatementScope,
): Promise<ReadonlyMap<IndexedGroup, ThingPage>> {
  const answer = new Map<IndexedGroup, ThingPage>();
  for (const group of groups) {
    const own = identified.filter((one) => one.group === group).map(({ found }) => found);
    const { hits, next } = words
      ? await ports.search.inGroup({ words, group }, page, scope.visibility)
      : { hits: [] };
    const ids = new Set(own.map(({ id }) => id));
    const isUnknown = group === 'artefacts' && hits.length === 0 && page.after === null;
    const all = words && isUnknown ? await filesUnder(ports, words, scope) : hits;
    const named = await Promise.all(
      all.filter(({ subject }) => !ids.has(subject)).map((hit) => ofHit(ports, hit, group, scope)),
    );
    const things = await shown(ports, [...own, ...named], scope);
    answer.set(group, { things, ...(next !== undefined && { next }) });
  }
  return answer;
}

async function ofHit(
  { statements }: FindThingsPorts,
  { subject, names, source, folder }: Hit,
  group: IndexedGroup,
  { visibility }: StatementScope,
): Promise<Found> {
  if ('graphId' in source) return { id: subject, names, type: 'graph', time: null, graph: null };
  const { memberships, time } = source;
  const graph = memberships.find(({ projectId }) => isVisible(projectId, visibility))?.graphId ?? null;
  const cid = group === 'computations' ? cidIn(subject) : undefined;
  const type = (cid && (await statements.byRdfcCid(cid, visibility))?.kind) ?? typeOf(subject);
  return { id: subject, names, type, time, graph, folder };
}

function typeOf(id: string): string {
  if (id.startsWith('did:')) return 'actor';
  if (id.startsWith('urn:uuid:')) return 'entity';
  const codec = cidIn(id)?.codec;
  if (codec === codecs.hashSequence) return 'folder';
  // A table or a component without a digest is named by one, and is no file.
  return codec === codecs.jcs ? 'document' : 'file';
}

interface Identified {
  readonly group: IndexedGroup;
  readonly found: Found;
}

/** As `identifiedBy`. A published hash tells nobody the CID of bytes that no statement of theirs names. */
export async function identifiedFor(
  { blobHashes, reach }: Pick<FindThingsPorts, 'blobHashes' | 'reach'>,
  text: string,
  { visibility }: StatementScope,
): Promise<string[]> {
  return await identifiedBy(text, blobHashes, (cid) => reach.blobByOtherHash(cid, visibility));
}

/** Several if a digest does not tell its function. Of bytes with several CIDs, one that has a name stands for them. */
async function identifiedThings(
  ports: FindThingsPorts,
  text: string,
  scope: StatementScope,
): Promise<Identified[]> {
  const found = new Map<string, Identified>();
  for (const id of await identifiedFor(ports, text.trim(), scope)) {
    const thing = await identifiedThing(ports, id, scope);
    const known = thing && found.get(thing.found.type);
    if (thing && (!known || known.found.names.length === 0)) found.set(thing.found.type, thing);
  }
  return [...found.values()];
}

async function identifiedThing(
  ports: FindThingsPorts,
  id: string,
  scope: StatementScope,
): Promise<Identified | undefined> {
  const names = async () => (await ports.search.namesOf([id], scope.visibility)).get(id) ?? [];
  const uuid = uuidIn(id);
  const graph = uuid === undefined ? undefined : await ports.graphs.get(uuid);
  if (graph && isVisible(graph.projectId, scope.visibility))
    return { group: 'graphs', found: { id, names: [graph.name], type: 'graph', time: null, graph: null } };
  const statement = await statementWith(ports, id, scope);
  if (statement) {
    const { kind: type, time, graphIds } = statement;
    const group = type === 'ComputationRegistration' ? 'computations' : 'artefacts';
    return { group, found: { id, names: await names(), type, time, graph: graphIds[0] ?? null } };
  }
  try {
    const page = { after: null, limit: 1 };
    const { blob, statements, folders = [] } = await findIdentifier(ports, id, page, scope);
    const { time = null, graphIds } = statements[0]?.statement ?? { graphIds: [] };
    const all = [...(await names()), ...folders.map(({ path }) => path)];
    // There is a next page, too, if many statements that the reader may not see speak of it.
    if (blob === null && statements.length === 0 && all.length === 0) return undefined;
    const found = {
      ...{ id, names: all, folder: folders[0], type: typeOf(id), time },
      graph: graphIds[0] ?? null,
    };
    return { group: groupOf(id), found };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return undefined;
    throw error;
  }
}

async function statementWith({ statements }: FindThingsPorts, id: string, { visibility }: StatementScope) {
  const cid = cidIn(id);
  if (cid && isStatementCid(cid, codecs.rdfc)) return await statements.byRdfcCid(cid, visibility);
  return cid && isStatementCid(cid, codecs.jcs) ? await statements.byJcsCid(cid, visibility) : undefined;
}

/** With the names that the service knows itself, and the names of graphs. */
async function shown(
  ports: FindThingsPorts,
  found: readonly Found[],
  scope: StatementScope,
): Promise<FoundThing[]> {
  const own = await ports.names.of(
    found.flatMap(({ id, folder }) => (folder ? [id, folder.folder] : [id])),
    scope,
  );
  return await Promise.all(
    found.map(async ({ id, names, type, time, graph, folder }) => {
      const name = own.get(id) ?? names[0] ?? null;
      const inGraph = typeof graph === 'string' ? await ports.graphs.get(graph) : graph;
      const otherNames = names.filter((other) => other !== name);
      const inFolder = folder ? { ...folder, name: own.get(folder.folder) ?? null } : null;
      return { id, name, otherNames, type, time, graph: inGraph ?? null, folder: inFolder };
    }),
  );
}
