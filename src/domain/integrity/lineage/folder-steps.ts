import type { FolderMember, Folders } from '../folders/folders.ts';
import { containment } from '../kinds/kind.ts';
import type { StatementScope } from '../ports.ts';
import { registrantOf } from '../signatures/proven.ts';
import type { StatementIndex } from '../statements/questions.ts';
import type { ReferringStatement } from '../statements/rows.ts';
import { type Flow, type LineageEdge, statementNode } from './edges.ts';

/** A step between a file and its folder. */
export interface FolderStep {
  readonly to: string;
  readonly flows: readonly Flow[];
  readonly edge: LineageEdge;
  readonly statement: ReferringStatement;
}

/**
 * The steps of a traversal between files and folders. A file leads to its folders, because who made the folder made the
 * file, and who used the folder used the file. A folder leads to those of its files about which something is stated. A folder
 * that was reached from a file leads to no other files, and a file that was reached from a folder to no other folders, because
 * those have nothing to do with what was asked.
 */
export class FolderSteps {
  readonly #folders: Folders;
  readonly #index: Pick<StatementIndex, 'referringTo'>;
  readonly #scope: StatementScope;
  readonly #looked = new Set<string>();
  /** The numbers of files of the folders that were reached. */
  readonly files = new Map<string, number>();
  readonly #reached = new Set<string>();

  constructor(folders: Folders, index: Pick<StatementIndex, 'referringTo'>, scope: StatementScope) {
    this.#folders = folders;
    this.#index = index;
    this.#scope = scope;
  }

  async from(visits: readonly { readonly id: string; readonly flows: readonly Flow[] }[]) {
    const now = visits.filter(({ id, flows }) => flows.length > 0 && id.startsWith('urn:cid:'));
    const steps: FolderStep[] = [];
    const files = now.filter(({ id }) => !this.#reached.has(id));
    const ids = files.map(({ id }) => id);
    const above = ids.length > 0 ? await this.#folders.foldersOf(ids, this.#index, this.#scope) : new Map();
    for (const { id, flows } of files)
      for (const member of above.get(id) ?? []) steps.push(step(member, member.folder, flows));
    for (const { id, flows } of now) {
      if (this.#looked.has(id)) continue;
      this.#looked.add(id);
      const found = await this.#folders.membersOf(id, this.#index, this.#scope);
      if (!found) continue;
      this.files.set(id, found.files);
      if (!this.#reached.has(id))
        for (const member of found.stated) steps.push(step(member, member.member, flows));
    }
    for (const { to } of steps) this.#reached.add(to);
    await this.#count(steps);
    return steps;
  }

  async #count(steps: readonly FolderStep[]): Promise<void> {
    const folders = new Set(steps.map(({ edge }) => edge.from).filter((id) => !this.files.has(id)));
    for (const [id, files] of await this.#folders.sizes([...folders])) this.files.set(id, files);
  }
}

function step({ folder, member, path, statement }: FolderMember, to: string, flows: readonly Flow[]) {
  const registeredBy = registrantOf(statement);
  const edge: LineageEdge = {
    from: folder,
    to: member,
    kind: containment.name,
    role: 'member',
    path,
    statement: statementNode(statement),
    ...(registeredBy !== undefined && { registeredBy }),
    time: statement.time,
    isTrusted: statement.isTrusted,
  };
  return { to, flows, edge, statement };
}
