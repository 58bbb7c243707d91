import { checkedReceipt, type LogOverview, logOverview } from '../../../contract/integrity/log-standing.ts';
import { cosignerAnswer } from '../../../contract/log-words.ts';
import { logWarnings, witnessProblemWords } from '../../../contract/words/log-standing.ts';
import { known } from '../../../domain/access/access.ts';
import { toBase64 } from '../../../domain/base64.ts';
import { CheckpointChecks } from '../../../domain/log/checkpoint-checks.ts';
import { cosignersIn } from '../../../domain/log/cosigners.ts';
import { parseServiceEntry } from '../../../domain/log/entries.ts';
import { tileWidth } from '../../../domain/log/merkle/tiles.ts';
import { logNames } from '../../../domain/log/names.ts';
import { noWitnesses, type Policy } from '../../../domain/log/notes/policy.ts';
import { verifyCheckpoint } from '../../../domain/log/notes/tlog-proof.ts';
import { formatVkey } from '../../../domain/log/notes/vkey.ts';
import type { PublishedLogs } from '../../../domain/log/published.ts';
import type { LogReading } from '../../../domain/log/reading.ts';
import { subjectOf, verifyReceipt } from '../../../domain/log/receipt.ts';
import type { LogRecords } from '../../../domain/log/records.ts';
import type { LogState } from '../../../domain/log/witnessing/standings.ts';
import type { App } from '../../../platform/http/app.ts';
import { readBody } from '../../../platform/http/body.ts';
import { errorAnswer, jsonAnswer } from '../../answers.ts';
import { operation } from '../operation.ts';

const tag = 'Log';
const receiptBytes = 65_536;
const headsShown = 20;

export interface LogOverviewRoutes {
  readonly publishedLogs: PublishedLogs & {
    readonly records: Pick<LogRecords, 'logs'>;
    /** Says which witnesses the operator has chosen. */
    readonly watch: { readonly policy: Policy } | undefined;
  };
  readonly logState: () => Promise<LogState>;
}

/** How the log is, for people who look at it. */
export function logOverviewRoutes(app: App, { publishedLogs, logState }: LogOverviewRoutes): void {
  operation(app, 'GET /log/v1/overview', {
    access: known,
    tag,
    summary: 'Read how the log and its witnesses are',
    answers: { 200: jsonAnswer('The log', logOverview) },
    handle: async ({ answer }) => answer(200, await overview(publishedLogs, logState)),
  });

  operation(app, 'POST /log/v1/receipt-check', {
    access: known,
    audit: 'none',
    tag,
    summary: 'Check a receipt against the keys of this service',
    description:
      'Who does not trust this service checks receipts without it: "cairn verify --receipt", or any program that knows c2sp.org/tlog-proof.',
    body: { 'text/plain': { schema: { type: 'string' } } },
    answers: {
      200: jsonAnswer('The receipt holds', checkedReceipt),
      400: errorAnswer('It does not, and why'),
    },
    handle: async ({ context, answer }) => {
      const bytes = await readBody(context, { bytes: receiptBytes, setting: null });
      const { signing } = publishedLogs;
      const logs = signing ? signing.signersOf(signing.origin).map(({ vkey }) => vkey) : [];
      // Anybody can add lines to a receipt. Those of the witnesses that the operator has chosen count, however many there are.
      const trust = { logs, policy: { ...(publishedLogs.watch?.policy ?? noWitnesses), quorum: 'none' } };
      const receipt = verifyReceipt(bytes, null, new CheckpointChecks(trust));
      const { statement, log, index, size, checkpoint } = receipt;
      const cosigners = checkpoint.isKnown ? verifyCheckpoint(checkpoint.note, trust).witnesses : [];
      const witnesses = cosigners.map(cosignerAnswer);
      return answer(200, {
        statement: subjectOf(statement),
        log,
        index,
        size,
        entries: checkpoint.size,
        witnesses,
      });
    },
  });
}

async function overview(
  { reading, signing, records }: LogOverviewRoutes['publishedLogs'],
  logState: LogOverviewRoutes['logState'],
): Promise<LogOverview> {
  const [log, published, { own, witnesses }] = await Promise.all([
    records.logs.get(logNames.service),
    reading.published(),
    logState(),
  ]);
  return {
    origin: signing?.origin ?? null,
    keys: signing ? signing.signersOf(signing.origin).map(({ vkey }) => formatVkey(vkey)) : [],
    entries: log?.size ?? 0,
    published: published
      ? {
          entries: published.size,
          at: iso(published.at),
          witnesses: cosignersIn(published.note).map(cosignerAnswer),
        }
      : null,
    witnesses: witnesses.map((witness) => ({
      name: witness.names.join(', '),
      entries: witness.size,
      at: witness.at === null ? null : iso(witness.at),
      problem: witnessProblemWords(witness) ?? null,
      since: witness.since === null ? null : iso(witness.since),
    })),
    heads: published ? await newestHeads(reading, published.size) : [],
    warnings: logWarnings(own, witnesses),
  };
}

async function newestHeads(reading: LogReading, size: number): Promise<LogOverview['heads']> {
  if (size === 0) return [];
  const index = Math.floor((size - 1) / tileWidth);
  const entries = await reading.entries(logNames.service, { index, width: size - index * tileWidth });
  return entries
    .flatMap((entry, at) => {
      const head = parseServiceEntry(entry);
      if (!head) return [];
      const [blinded_name, root] = [toBase64(head.blindedName), toBase64(head.root)];
      return [{ entry: index * tileWidth + at, blinded_name, size: head.size, root }];
    })
    .slice(-headsShown)
    .reverse();
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
