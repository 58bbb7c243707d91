import type { DatabaseSync } from 'node:sqlite';
import type { StoreProblem } from '../../../domain/maintenance/fsck/ports.ts';
import { repairable } from '../../../domain/maintenance/fsck/problems.ts';
import { blockRows, timeBlockWrites } from '../index/time-blocks.ts';
import type { Row } from '../statements/statement-rows.ts';
import { type Found, settled } from './repairs.ts';

const blocksAtOnce = 64;

/** Whether each block of neighbours spans their times. One that spans more only makes searches look at more. */
export function* fsckTimes(
  reader: DatabaseSync,
  writer: DatabaseSync,
  repair: boolean,
  onRows: (done: number) => void,
): Generator<StoreProblem> {
  const blocks = reader.prepare(
    `SELECT times.block, first, last, oldest, newest FROM (
       SELECT seq / ${blockRows} AS block, min(time) AS first, max(time) AS last FROM statements
       WHERE seq >= ?1 * ${blockRows} AND seq < (?1 + ${blocksAtOnce}) * ${blockRows} AND time IS NOT NULL
       GROUP BY 1
     ) AS times LEFT JOIN time_blocks USING (block)`,
  );
  blocks.setReadBigInts(true);
  const writes = timeBlockWrites(writer);
  const look = ({ block, first, last, oldest, newest }: Row): Found[] => {
    if (oldest !== null && Number(oldest) <= Number(first) && Number(newest) >= Number(last)) return [];
    const fix = () => {
      for (const time of [first, last]) writes.add(Number(block) * blockRows, Number(time));
      writes.flush();
    };
    const problem = 'Searches for a span of time pass over statements of this block';
    return [
      { problem: (isRepaired) => repairable('index', `time block ${block}`, problem, isRepaired), fix },
    ];
  };
  const newest = reader.prepare('SELECT coalesce(max(seq), 0) AS seq FROM statements').get();
  const end = Math.floor(Number(newest?.seq) / blockRows);
  for (let block = 0; block <= end; block += blocksAtOnce) {
    yield* settled(writer, blocks.all(block).flatMap(look), repair);
    onRows((block + blocksAtOnce) * blockRows);
  }
}
