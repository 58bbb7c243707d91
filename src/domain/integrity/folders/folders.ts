import { cidIn, cidUrn, codecs, makeCid, statementStart } from '../identifiers/cid.ts';
import type { StatementScope } from '../ports.ts';
import { allPlaces } from '../statements/places.ts';
import type { StatementIndex } from '../statements/questions.ts';
import type { ReferringStatement } from '../statements/rows.ts';
import type { FolderRecords, MemberRecord, MemberRecords } from './folder-records.ts';

/** A file in a folder, and a statement about the folder that the reader may see. Who sees none does not learn of the file. */
export interface FolderMember {
  /** `urn:cid:` of the collection. */
  readonly folder: string;
  /** `urn:cid:` of the file, in the raw codec. */
  readonly member: string;
  readonly path: string;
  readonly statement: ReferringStatement;
}

type Index = Pick<StatementIndex, 'referringTo'>;

export interface Folders {
  /** The folders that have a file, the first ones of each file. @param ids `urn:cid:…`, in any codec. */
  foldersOf(
    ids: readonly string[],
    index: Index,
    scope: StatementScope,
  ): Promise<Map<string, FolderMember[]>>;

  /** How many files a folder has; undefined if it is none that the reader may see. */
  filesIn(id: string, index: Index, scope: StatementScope): Promise<number | undefined>;

  /** How many files folders have that the reader may see. */
  sizes(ids: readonly string[]): Promise<Map<string, number>>;

  /** How many files a folder has, if it is one, and those of the first ones about which something is stated. */
  membersOf(
    id: string,
    index: Index,
    scope: StatementScope,
  ): Promise<{ readonly files: number; readonly stated: readonly FolderMember[] } | undefined>;
}

/** Common files are in very many folders. */
const foldersShown = 20;
const foldersAtOnce = 200;
/** The folders of a file that are passed over because the reader may not see them. */
const mostHidden = 5_000;
/** The files of a folder that are looked at. */
const membersLooked = 5_000;
const membersAtOnce = 500;
/** The files with statements of their own that one answer shows. */
const membersShown = 100;

const somewhere = allPlaces.map((place) => ({ place, limit: 1 }));

export interface FolderReading {
  readonly folders: Pick<FolderRecords, 'get' | 'among'>;
  readonly members: Pick<MemberRecords, 'among' | 'page'>;
}

export function openFolders({ folders, members }: FolderReading): Folders {
  /** The first visible statement about each identifier. */
  async function stated(index: Index, identifiers: readonly string[], scope: StatementScope) {
    const found = new Map<string, ReferringStatement>();
    if (identifiers.length === 0) return found;
    const most = Number.MAX_SAFE_INTEGER;
    const answers = await index.referringTo({ identifiers, places: somewhere, most }, scope);
    for (const [at, answer] of answers.entries()) {
      const [first] = answer.found;
      if (first) found.set(identifiers[at] ?? '', first.statement);
    }
    return found;
  }

  async function seenFolder(id: string, index: Index, scope: StatementScope) {
    const cid = id.startsWith(rawStart) ? undefined : cidIn(id);
    if (cid?.codec !== codecs.hashSequence) return undefined;
    const record = await folders.get(cid.text);
    if (record?.files == null) return undefined;
    const statement = (await stated(index, [cidUrn(cid)], scope)).get(cidUrn(cid));
    return statement && { cid, files: record.files, statement };
  }

  const statedFolders = (index: Index, found: readonly MemberRecord[], scope: StatementScope) =>
    stated(index, [...new Set(found.map(({ collection }) => cidUrn(collection)))], scope);

  return {
    async foldersOf(ids, index, scope) {
      const asked = new Map<string, string>();
      for (const id of ids) {
        const member = memberIn(id);
        if (member !== undefined) asked.set(id, member);
      }
      const records = await members.among('byMember', [...asked.values()], foldersShown);
      const first = await statedFolders(index, records.flat(), scope);
      const found = new Map<string, FolderMember[]>();
      for (const [at, [id, member]] of [...asked].entries()) {
        const own = records[at] ?? [];
        let visible = visibleIn(id, own, first);
        for (let [after, looked]: [string | null, number] = [null, 0]; looked < mostHidden; ) {
          if (visible.length > 0 || own.length < foldersShown) break;
          const page = await members.page('byMember', [member], { after, limit: foldersAtOnce });
          visible = visibleIn(id, page.records, await statedFolders(index, page.records, scope));
          if (page.next === undefined) break;
          [after, looked] = [page.next, looked + page.records.length];
        }
        if (visible.length > 0) found.set(id, visible.slice(0, foldersShown));
      }
      return found;
    },

    filesIn: async (id, index, scope) => (await seenFolder(id, index, scope))?.files,

    async sizes(ids) {
      const found = await folders.among('key', ids.map(bareId), 1);
      return new Map(found.flat().flatMap(({ id, files }) => (files === null ? [] : [[cidUrn(id), files]])));
    },

    async membersOf(id, index, scope) {
      const seen = await seenFolder(id, index, scope);
      if (!seen) return undefined;
      const { cid, files, statement } = seen;
      const folder = cidUrn(cid);
      const shown: FolderMember[] = [];
      for (let [after, looked]: [string | null, number] = [null, 0]; looked < membersLooked; ) {
        const page = await members.page('byCollection', [cid.text], { after, limit: membersAtOnce });
        const urns = [...new Set(page.records.map(({ member }) => cidUrn(member)))];
        const own = await stated(index, urns, scope);
        for (const { member, path } of page.records)
          if (own.has(cidUrn(member)) && shown.length < membersShown)
            shown.push({ folder, member: cidUrn(member), path, statement });
        looked += page.records.length;
        if (page.next === undefined || shown.length >= membersShown) break;
        after = page.next;
      }
      return { files, stated: shown };
    },
  };
}

function visibleIn(
  id: string,
  records: readonly MemberRecord[],
  statements: ReadonlyMap<string, ReferringStatement>,
): FolderMember[] {
  return records.flatMap(({ collection, path }) => {
    const folder = cidUrn(collection);
    const statement = statements.get(folder);
    return statement ? [{ folder, member: id, path, statement }] : [];
  });
}

const bareId = (id: string) => id.slice('urn:cid:'.length);

/** The first characters of raw BLAKE3 identifiers. Most are those, and need no decoding. */
const rawStart = 'urn:cid:bafkr4i';

/** Whether an identifier has the form under which files are kept. All names of the bytes of a file include it. */
export function isFileId(id: string): boolean {
  return id.startsWith(rawStart);
}

/** The raw CID of what may be a file. Statements and collections are in no folder. */
function memberIn(id: string): string | undefined {
  if (isFileId(id)) return bareId(id);
  const cid = id.startsWith('urn:cid:') && !id.startsWith(statementStart) ? cidIn(id) : undefined;
  const isFile = cid && cid.multihash === 'blake3' && cid.codec !== codecs.rdfc;
  return isFile && cid.codec !== codecs.hashSequence ? makeCid(codecs.raw, cid.digest).text : undefined;
}
