import { batchSize, ingest } from './batch-ingestion.ts';
import { median, report } from './measure.ts';
import { startService, withFolder } from './service-process.ts';

// Batches with a credential for each statement, compared with batches without.

const batches = Number(process.env.BATCHES ?? 20);
const rounds = 3;

/** Acknowledged statements per second of a new service. */
async function perSecond(round: number, more: object): Promise<number> {
  let measured = 0;
  await withFolder(async (folder) => {
    await using service = await startService(folder);
    measured = await ingest([service.url], round, batches, more);
  });
  return measured;
}

const measured: { plain: number; issued: number }[] = [];
for (let round = 0; round < rounds; round += 1)
  measured.push({ plain: await perSecond(round, {}), issued: await perSecond(round, { issue_vc: true }) });
report(`${batches} batches of ${batchSize}`, [
  { what: 'without issue_vc', 'statements/s': median(measured.map(({ plain }) => plain)), ratio: 1 },
  {
    what: 'with issue_vc',
    'statements/s': median(measured.map(({ issued }) => issued)),
    ratio: median(measured.map(({ plain, issued }) => issued / plain)),
  },
]);
