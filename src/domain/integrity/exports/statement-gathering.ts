import type { ReferencedBlobs } from '../blobs/referenced-blobs.ts';
import { sectionHead } from '../car/writing.ts';
import { cidUrn } from '../identifiers/cid.ts';
import type { Spool, SpoolStore } from '../manifest/ports.ts';
import type { StatementRow } from '../ports.ts';

export interface GatheringOptions {
  /** For a CAR: also write a section for every form, not only one form for each id. */
  readonly withSections: boolean;
  /** Collects the references of the statements. */
  readonly blobs: ReferencedBlobs | undefined;
  /** Leaves out statements with these context sets. */
  readonly without: ReadonlySet<string>;
}

const comma = Buffer.from(',');
/** Memory for unverified forms that wait for a trusted form of their id. */
const waitingBytes = 8 << 20;

/** Writes the statements of a manifest to disk in the order of their ids. */
export class StatementGathering implements AsyncDisposable {
  /** The members of `statements` in the manifest, separated by commas. */
  readonly members: Spool;
  /** The sections of the CAR. */
  readonly sections: Spool;
  readonly #options: GatheringOptions;
  /** The context sets of the written statements, and whether trusted statements have them. */
  readonly contextSets = new Map<string, boolean>();
  /** The form that represents its id unless a trusted one follows. */
  #held: StatementRow | undefined;
  #memberParts: Uint8Array[] = [];
  #sectionParts: Uint8Array[] = [];
  /** Sections of unverified forms, which follow the trusted form of their id. An import stores the first form first. */
  #waiting: Uint8Array[] = [];
  #waitingSize = 0;
  #count = 0;
  #leftOut = 0;

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

  /** Number of ids. */
  get count(): number {
    return this.#count;
  }

  get leftOut(): number {
    return this.#leftOut;
  }

  /** @param rows in the order of their ids, after all earlier rows. */
  async add(rows: readonly StatementRow[]): Promise<void> {
    for (const row of rows) {
      if (this.#options.without.has(row.contextSet)) this.#leftOut += 1;
      else await this.#addRow(row);
    }
    await this.#flush();
  }

  async end(): Promise<void> {
    if (this.#held) await this.#release(this.#held);
    await this.#flush();
    await this.#options.blobs?.settle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.members[Symbol.asyncDispose]();
    await this.sections[Symbol.asyncDispose]();
  }

  async #addRow(row: StatementRow): Promise<void> {
    const held = this.#held;
    const isSameId = held?.rdfcCid.text === row.rdfcCid.text;
    if (held && !isSameId) await this.#release(held);
    if (this.#options.withSections) {
      this.#addSection(row);
      await this.#note(row);
    }
    if (!isSameId || (!held?.isTrusted && row.isTrusted)) this.#held = row;
  }

  #addSection({ jcsCid, jcs, isTrusted }: StatementRow): void {
    const section = [sectionHead(jcsCid, jcs.length), jcs];
    if (!isTrusted && !this.#held?.isTrusted && this.#waitingSize < waitingBytes) {
      this.#waiting.push(...section);
      this.#waitingSize += jcs.length;
      return;
    }
    this.#sectionParts.push(...section);
    this.#endWaiting();
  }

  #endWaiting(): void {
    this.#sectionParts = this.#sectionParts.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingSize = 0;
  }

  async #release(row: StatementRow): Promise<void> {
    this.#held = undefined;
    this.#endWaiting();
    if (this.#count > 0) this.#memberParts.push(comma);
    this.#memberParts.push(Buffer.from(`"${cidUrn(row.rdfcCid)}":`), row.jcs);
    this.#count += 1;
    if (!this.#options.withSections) await this.#note(row);
  }

  async #note(row: StatementRow): Promise<void> {
    const { contextSet, isTrusted } = row;
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
