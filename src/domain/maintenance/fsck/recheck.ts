import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../errors.ts';
import type { ContextKeeper } from '../../integrity/contexts/contexts.ts';
import { cidUrn } from '../../integrity/identifiers/cid.ts';
import { blake3Digest } from '../../integrity/identifiers/hashing.ts';
import type { ClosedWorld, IdentifiedRow, Identifier, StatementRow } from '../../integrity/ports.ts';

/** What came out when a stored row was identified again. */
export interface Recheck<Row extends StatementRow> {
  readonly row: Row;
  /** As it should be; undefined when its bytes or its contexts are not whole, so that nobody can tell. */
  readonly right: Row | undefined;
  /** What is wrong, as the end of a sentence; none when the row is as it should be. */
  readonly problems: readonly string[];
  /** The context set of the row is not whole, which is no fault of the row. */
  readonly isWithoutContexts: boolean;
}

export interface Rechecking {
  /** One whose registry knows no document by itself: a row is read with its own ones alone. */
  readonly identifier: Pick<Identifier, 'identifyUnder'>;
  readonly contexts: Pick<ContextKeeper, 'documents'>;
}

const worldsKept = 256;

/** Identifies stored rows again, each under the context documents that were kept with it. */
export class Rechecker {
  readonly #ports: Rechecking;
  readonly #worlds = new LRUCache<string, Promise<ClosedWorld | ServiceError>>({ max: worldsKept });

  constructor(ports: Rechecking) {
    this.#ports = ports;
  }

  /** One answer for each row, in order. */
  async recheck<Row extends StatementRow>(rows: readonly Row[]): Promise<Recheck<Row>[]> {
    const answers = new Map<Row, Recheck<Row>>();
    const whole = rows.filter((row) => {
      if (Buffer.compare(blake3Digest(row.jcs), row.jcsCid.digest) === 0) return true;
      answers.set(row, broken(row, ['its bytes do not hash to its jcs_cid']));
      return false;
    });
    for (const [set, group] of Map.groupBy(whole, ({ contextSet }) => contextSet)) {
      const world = await this.world(set);
      const rechecked = world instanceof ServiceError ? group.map(without) : await this.#under(world, group);
      for (const answer of rechecked) answers.set(answer.row, answer);
    }
    return rows.flatMap((row) => answers.get(row) ?? []);
  }

  /** The documents of a context set, or why they are not to be had. */
  async world(set: string): Promise<ClosedWorld | ServiceError> {
    let world = this.#worlds.get(set);
    if (!world) {
      world = readWorld(this.#ports.contexts, set);
      this.#worlds.set(set, world);
    }
    return await world;
  }

  async #under<Row extends StatementRow>(world: ClosedWorld, rows: readonly Row[]): Promise<Recheck<Row>[]> {
    const ranges: number[] = [];
    let end = 0;
    for (const { jcs } of rows) {
      ranges.push(end, end + jcs.length);
      end += jcs.length;
    }
    const body = Buffer.concat(rows.map(({ jcs }) => jcs));
    const results = await this.#ports.identifier.identifyUnder(body, ranges, world);
    return rows.map((row, at) => {
      const result = results[at];
      if (!result) throw new RangeError('An identification is missing.');
      return 'row' in result ? compared(row, result.row) : broken(row, [result.error.message]);
    });
  }
}

async function readWorld(contexts: Rechecking['contexts'], set: string): Promise<ClosedWorld | ServiceError> {
  try {
    return { id: set, documents: await contexts.documents(set) };
  } catch (error) {
    if (error instanceof ServiceError && error.retryAfter === undefined) return error;
    throw error;
  }
}

function broken<Row extends StatementRow>(row: Row, problems: readonly string[]): Recheck<Row> {
  return { row, right: undefined, problems, isWithoutContexts: false };
}

function without<Row extends StatementRow>(row: Row): Recheck<Row> {
  const problems = [`its context set ${row.contextSet} is not whole, so that its id cannot be computed`];
  return { row, right: undefined, problems, isWithoutContexts: true };
}

function compared<Row extends StatementRow>(row: Row, identified: IdentifiedRow): Recheck<Row> {
  if (identified.jcsCid.text !== row.jcsCid.text) return broken(row, ['its bytes are not its RFC 8785 form']);
  const { rdfcCid, kind, references, time } = identified;
  return {
    row,
    right: { ...row, rdfcCid, kind, references, time },
    problems: differences(row, identified),
    isWithoutContexts: false,
  };
}

/** What a row says otherwise than its JCS bytes, each as the end of a sentence. */
function differences(row: StatementRow, right: StatementRow): string[] {
  const pairs = ({ references }: StatementRow) =>
    JSON.stringify(references.map(({ role, identifier }) => [role, identifier]));
  return [
    ...(row.rdfcCid.text === right.rdfcCid.text ? [] : [`it is stored as ${cidUrn(row.rdfcCid)}`]),
    ...(row.kind === right.kind
      ? []
      : [`its kind is stored as ${JSON.stringify(row.kind)}, and is ${JSON.stringify(right.kind)}`]),
    ...(row.time === right.time ? [] : [`its time is stored as ${row.time}, and is ${right.time}`]),
    ...(pairs(row) === pairs(right) ? [] : ['other references are stored than it has']),
  ];
}
