import { readFile } from 'node:fs/promises';
import { messageOf, ServiceError } from '../domain/errors.ts';
import { rootAt } from '../domain/log/merkle/proofs.ts';
import { logNames } from '../domain/log/names.ts';
import { parseCheckpoint } from '../domain/log/notes/checkpoint.ts';
import { isMet, noWitnesses, type Policy, parsePolicy } from '../domain/log/notes/policy.ts';
import { parseNote } from '../domain/log/notes/signed-note.ts';
import type { HeadGuard, Witnessing } from '../domain/log/ports.ts';
import { uncosigned } from '../domain/log/ports.ts';
import type { SignersOf } from '../domain/log/published.ts';
import { newestCheckpoint, storedTiles } from '../domain/log/reading.ts';
import type { LogRecords } from '../domain/log/records.ts';
import { headInMemory, rememberedHeads } from '../domain/log/witnessing/head-memory.ts';
import { OtherHistory } from '../domain/log/witnessing/other-history.ts';
import {
  keepStandingsOf,
  type LogStandings,
  ownStanding,
  type ReportedStanding,
  StandingWriter,
} from '../domain/log/witnessing/standings.ts';
import { askedWitnesses, WitnessGroup } from '../domain/log/witnessing/witness-group.ts';
import { headFile } from '../platform/head-file.ts';
import { witnessClient } from '../platform/http/witness-client.ts';
import type { Log } from '../platform/log.ts';
import type { Settings } from '../platform/settings/setting-table.ts';

/** What keeps a log from having two histories. */
export interface LogWatch {
  readonly guard: HeadGuard;
  readonly witnessing: Witnessing;
  readonly policy: Policy;
  /** To be called when this process begins to publish, also in the place of another one. */
  readonly beginTurn: () => void;
}

interface WatchedLog {
  readonly records: LogRecords;
  readonly standings: LogStandings;
  readonly signersOf: SignersOf;
  readonly log: Log;
  readonly now: () => Date;
  /** Whether no other process asks witnesses for as long as an answer takes. */
  readonly mayAsk: () => boolean;
}

/** @throws ServiceError `unavailable` for a policy that cannot be used. */
export async function openLogWatch(
  { records, standings, signersOf, log, now, mayAsk }: WatchedLog,
  { logWitnesses, logHeadFile }: Pick<Settings, 'logWitnesses' | 'logHeadFile'>,
): Promise<LogWatch> {
  const tiles = storedTiles(records, logNames.service);
  const tree = {
    size: async () => (await records.logs.get(logNames.service))?.size ?? 0,
    root: (size: number) => rootAt(tiles, size),
  };
  const writer = new StandingWriter(standings);
  const report = async (standing: ReportedStanding) => {
    if (await writer.report(standing, now().getTime())) say(log, standing);
  };
  const policy = logWitnesses === null ? noWitnesses : await readPolicy(logWitnesses);
  await keepStandingsOf(
    standings,
    askedWitnesses(policy).map(({ url }) => url),
  );
  const group =
    policy === noWitnesses
      ? undefined
      : new WitnessGroup({
          policy,
          client: witnessClient(),
          report,
          now,
          clock: () => performance.now(),
          mayAsk,
          ownLog: async (origin) => ({
            origin,
            logKeys: signersOf(origin).map(({ vkey }) => vkey),
            tree,
            published: await publishedUnder(records, origin),
          }),
        });
  const guards: HeadGuard[] = [
    ...(group ? [group] : []),
    ...(logHeadFile === null ? [] : [rememberedHeads(headFile(logHeadFile), tree)]),
    rememberedHeads(headInMemory(), tree),
  ];
  const beginTurn = () => group?.compareAgain();
  return { policy, beginTurn, ...watched({ guards, witnessing: group ?? uncosigned, report }) };
}

interface Watched {
  readonly guards: readonly HeadGuard[];
  readonly witnessing: Witnessing;
  readonly report: (standing: ReportedStanding) => Promise<void>;
}

/** Reports why a checkpoint is not published, and when one is. */
function watched({ guards, witnessing, report }: Watched): Omit<LogWatch, 'policy' | 'beginTurn'> {
  const own = { id: ownStanding, names: [] };
  const orReported = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      const code = error instanceof OtherHistory ? 'other_history' : 'not_published';
      await report({ ...own, problem: { code, detail: messageOf(error), size: null } });
      throw error;
    }
  };
  return {
    guard: {
      admit: (head) =>
        orReported(async () => {
          for (const guard of guards) await guard.admit(head);
        }),
    },
    witnessing: {
      cosigned: (note, checkpoint, consistency) =>
        orReported(async () => {
          const cosigned = await witnessing.cosigned(note, checkpoint, consistency);
          const { size } = checkpoint;
          if (cosigned === null)
            await report({ ...own, problem: { code: 'too_few_witnesses', detail: null, size } });
          else await report({ ...own, problem: null, size });
          return cosigned;
        }),
    },
  };
}

function say(log: Log, { id, names, problem }: ReportedStanding): void {
  const about = id === ownStanding ? {} : { witness: names.join(), url: id };
  if (id !== ownStanding && problem) log.warn({ ...about, ...problem }, 'A witness does not cosign the log.');
  else if (id !== ownStanding) log.info(about, 'A witness cosigns the log.');
  else if (problem) log.error({ ...problem }, 'No new checkpoint of the log is published.');
  else log.info('Checkpoints of the log are published.');
}

/** The last published checkpoint, if it was published under this origin. */
async function publishedUnder(records: LogRecords, origin: string): Promise<string | undefined> {
  const { note } = (await newestCheckpoint(records)) ?? {};
  return note !== undefined && parseCheckpoint(parseNote(note).text).origin === origin ? note : undefined;
}

async function readPolicy(file: string): Promise<Policy> {
  const fail = (problem: string, cause?: unknown): never => {
    throw new ServiceError('unavailable', `CAIRN_LOG_WITNESSES: ${file} cannot be used: ${problem}`, {
      cause,
    });
  };
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) =>
    fail(cause.code === 'ENOENT' ? 'it does not exist.' : `it cannot be read (${cause.code}).`, cause),
  );
  const policy = parsedPolicy(bytes, fail);
  for (const { name, url } of policy.witnesses)
    if (url !== null && !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
      fail(`the URL of the witness ${name} is not http or https.`);
  const asked = askedWitnesses(policy);
  if (
    !isMet(
      policy,
      asked.flatMap(({ keys }) => keys),
    )
  )
    fail('its quorum needs witnesses without a URL, which nobody can ask. Add their URLs.');
  return policy;
}

function parsedPolicy(bytes: Uint8Array, fail: (problem: string, cause?: unknown) => never): Policy {
  try {
    return parsePolicy(bytes);
  } catch (cause) {
    return fail(messageOf(cause), cause);
  }
}
