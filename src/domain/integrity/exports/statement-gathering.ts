import type { ReferencedBlobs } from '../blobs/referenced-blobs.ts';
import { sectionHead } from '../car/writing.ts';
import { cidUrn } from '../identifiers/cid.ts';
import type { CoveredLogs } from '../manifest/covered-logs.ts';
import type { Spool, SpoolStore } from '../manifest/ports.ts';
import type { StatementRow } from '../ports.ts';

export interface GatheringOptions {
  /** For a CAR: also write a section for every form, not only one form for each id. */
  readonly withSections: boolean;
  readonly blobs: ReferencedBlobs | undefined;
  /** Leaves out statements with these context sets. */
  readonly without: ReadonlySet<string>;
  /** Leaves out what is in none of these logs, so that the manifest has exactly what they have. */
  readonly covered: CoveredLogs | undefined;
}

const comma = Buffer.from(',');

/** Spools the statements of a manifest in the order of their ids. The first form of an id represents it. */
export class StatementGathering implements AsyncDisposable {
  /** The members of `statements` in the manifest, separated by commas. */
  readonly members: Spool;
  readonly sections: Spool;
  readonly #options: GatheringOptions;
  /** The context sets of the written statements, and whether verified statements have them. */
  readonly contextSets = new Map<string, boolean>();
  /** Number of ids. */
  count = 0;
  leftOut = 0;
  /** Number of forms that came after the covered heads of their logs. */
  later = 0;
  #lastId = '';
  #memberParts: Uint8Array[] = [];
  #sectionParts: Uint8Array[] = [];

  private constructor(members: Spool, sections: Spool, options: GatheringOptions) {
    this.members = members;
    this.sections = sections;
    this.#options = options;
  }

  static async open(spools: SpoolStore, options: GatheringOptions): Promise<StatementGathering> {
    await using opened = new AsyncDisposableStack();
    const members = opened.use(await spools.open());
    const sections = opened.use(await spools.open());
    opened.move();
    return new StatementGathering(members, sections, options);
  }

  /** @param rows in the order of their ids, after all earlier rows; of one id, verified forms first. */
  async add(rows: readonly StatementRow[]): Promise<void> {
    const { without, covered } = this.#options;
    for (const row of rows) {
      if (covered && !covered.has(row)) this.later += 1;
      else if (without.has(row.contextSet)) this.leftOut += 1;
      else await this.#addRow(row);
    }
    await this.#flush();
  }

  /** @throws ServiceError `storage_full`. */
  async flush(): Promise<void> {
    await this.members.flush();
    await this.sections.flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.members[Symbol.asyncDispose]();
    await this.sections[Symbol.asyncDispose]();
  }

  async #addRow(row: StatementRow): Promise<void> {
    const { rdfcCid, jcsCid, jcs, contextSet, isTrusted } = row;
    const isFirst = rdfcCid.text !== this.#lastId;
    this.#lastId = rdfcCid.text;
    this.#options.covered?.note(row, isFirst ? 'under_id' : this.#options.withSections ? 'beside' : 'not');
    if (isFirst) {
      if (this.count > 0) this.#memberParts.push(comma);
      this.#memberParts.push(Buffer.from(`"${cidUrn(rdfcCid)}":`), jcs);
      this.count += 1;
    }
    if (this.#options.withSections) this.#sectionParts.push(sectionHead(jcsCid, jcs.length), jcs);
    if (!isFirst && !this.#options.withSections) return;
    if (isTrusted || !this.contextSets.has(contextSet)) this.contextSets.set(contextSet, isTrusted);
    await this.#options.blobs?.add(row);
  }

  async #flush(): Promise<void> {
    await this.members.write(Buffer.concat(this.#memberParts));
    if (this.#sectionParts.length > 0) await this.sections.write(Buffer.concat(this.#sectionParts));
    this.#memberParts = [];
    this.#sectionParts = [];
  }
}
