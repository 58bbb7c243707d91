import type { CollectionEntry } from '../../blobs/iroh-collection.ts';
import type { MemberRecord } from '../../folders/folder-records.ts';
import { type FolderReading, type Folders, openFolders } from '../../folders/folders.ts';
import { collectionFiles, membersOfFiles } from '../../folders/indexing.ts';
import { type Cid, parseCid } from '../../identifiers/cid.ts';
import { digestHash } from '../../identifiers/digest-set.ts';
import type { CarriedBlobs } from './carried-blobs.ts';
import { Postings } from './postings.ts';

/** The files of folders, as a store knows them when it has these blobs. @param cids collections to which statements refer. */
export async function carriedFolders(blobs: CarriedBlobs, cids: Iterable<Cid>): Promise<Folders> {
  const decoded = new DecodedFolders();
  for (const cid of cids) {
    const found = await collectionFiles({ blobs }, cid);
    if (found?.files) decoded.add(cid.text, found.metadata, found.files);
  }
  return openFolders(decoded.reading);
}

interface DecodedFolder {
  readonly id: string;
  readonly metadata: string;
  readonly files: readonly CollectionEntry[];
}

/** Makes records when they are asked for, because folders may have a million files. */
class DecodedFolders {
  readonly #folders = new Map<string, DecodedFolder>();
  /** The folder and the place of each file, by its number. */
  readonly #folderOf: DecodedFolder[] = [];
  readonly #placeOf: number[] = [];
  readonly #byMember = new Postings();

  add(id: string, metadata: string, files: readonly CollectionEntry[]): void {
    const folder = { id, metadata, files };
    this.#folders.set(id, folder);
    for (const [place, { digest }] of files.entries()) {
      this.#byMember.add(digestHash(digest), this.#folderOf.push(folder) - 1);
      this.#placeOf.push(place);
    }
  }

  get reading(): FolderReading {
    return {
      folders: {
        get: async (id) => this.#record(id),
        among: async (_key, ids) => ids.map((id) => [this.#record(String(id)) ?? []].flat()),
      },
      members: {
        among: async (_byMember, members, limit) =>
          members.map((member) => this.#withMember(String(member)).slice(0, limit)),
        page: async (index, [value], { after, limit }) => {
          const from = Number(after ?? 0);
          const records =
            index === 'byMember'
              ? this.#withMember(String(value)).slice(from, from + limit)
              : this.#filesOf(String(value), from, limit);
          return { records, ...(records.length === limit && { next: String(from + limit) }) };
        },
      },
    };
  }

  #record(id: string) {
    const folder = this.#folders.get(id);
    return folder && { id, metadata: folder.metadata, files: folder.files.length };
  }

  #filesOf(id: string, from: number, most: number): MemberRecord[] {
    return membersOfFiles(id, this.#folders.get(id)?.files ?? [], from, most);
  }

  #withMember(member: string): MemberRecord[] {
    return [...this.#byMember.above(digestHash(parseCid(member).digest), -1)]
      .flatMap((number) => this.#filesOf(this.#folderOf[number]?.id ?? '', this.#placeOf[number] ?? 0, 1))
      .filter((record) => record.member === member)
      .sort((one, other) => (one.id < other.id ? -1 : 1));
  }
}
