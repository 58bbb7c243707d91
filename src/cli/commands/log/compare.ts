import type { Command } from 'commander';
import { logSubject } from '../../../contract/log-words.ts';
import { counted } from '../../../contract/words/text.ts';
import type { WholeLog } from '../../../domain/integrity/manifest/summary.ts';
import type { ContextSource } from '../../../domain/integrity/ports.ts';
import { isSameHash } from '../../../domain/log/merkle/hashing.ts';
import { changeOf, type LogChange } from '../../../domain/log/whole-logs.ts';
import { readClientSettings } from '../../client/client-settings.ts';
import { contextFolders } from '../../client/context-folders.ts';
import { manifestForm } from '../../client/manifest-form.ts';
import { failNo, failUsage } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { printableLine, writeText } from '../../terminal/output.ts';
import { addVerificationOptions, type VerificationFlags } from '../verify/verification-options.ts';

interface CompareFlags extends VerificationFlags {
  readonly json?: true;
}

interface Compared {
  readonly path: string;
  readonly ids: ReadonlySet<string>;
  readonly logs: readonly WholeLog[];
}

const notes = `
Both manifests are verified first. If they have a log as a whole (cairn export --proofs), its entries are compared one by one:
the newer manifest must begin with everything that the older one has. Without logs, the ids of the statements are compared.

Exit codes: 0 the newer manifest has everything that the older one has; 1 something is gone or differs, or a manifest is not
what it was; 2 wrong usage.

Example:
  $ cairn log compare evidence-may.car evidence-june.car --log-policy log.policy`;

const idsShown = 20;

export function compareCommand(log: Command, io: Io): void {
  addVerificationOptions(
    log
      .command('compare')
      .description('show that a newer manifest has everything that an older one has, or what is gone')
      .argument('<older>', 'a manifest')
      .argument('<newer>', 'a later manifest of the same graphs'),
  )
    .option('--json', 'print the result as a JSON object')
    .addHelpText('after', notes)
    .action(async (...[older, newer, flags]: [string, string, CompareFlags]) => {
      const folders = await contextFolders(flags.contexts, readClientSettings(io));
      await compare(
        io,
        await readWhole(older, folders, flags),
        await readWhole(newer, folders, flags),
        flags,
      );
    });
}

async function readWhole(
  path: string,
  sources: readonly ContextSource[],
  flags: CompareFlags,
): Promise<Compared> {
  const form = await manifestForm(path);
  if (!form) return failUsage(`${path} is not a manifest.`);
  const { verifiedContent } = await import('../verify/verify-manifest.ts');
  const { ids, summary, faults } = await verifiedContent({ path, form }, sources, flags);
  if (faults[0]) failNo(`${path} is not what it was: ${faults[0].reason} "cairn verify ${path}" says more.`);
  return { path, ids, logs: summary.logs };
}

async function compare(io: Io, older: Compared, newer: Compared, { json }: CompareFlags): Promise<void> {
  const changes = older.logs.map((log) => ({ log, ...changeIn(log, newer) }));
  const gone = [...older.ids].filter((id) => !newer.ids.has(id));
  const added = newer.ids.size - older.ids.size + gone.length;
  const isGood = gone.length === 0 && changes.every(({ change }) => change.kind === 'grown');
  if (json) {
    const logs = changes.map(({ log, change }) => ({ log: log.log, ...change }));
    await writeText(io, `${JSON.stringify({ contains: isGood, gone, added, logs })}\n`);
  } else {
    const lines = [
      ...changes.map(({ log, change, name }) => `${logSubject(log.log)}: ${changeWords(change, log, name)}`),
      ...gone.slice(0, idsShown).map((id) => `gone: ${id}`),
      ...(gone.length > idsShown ? [`and ${gone.length - idsShown} more`] : []),
      `${newer.path} has ${gone.length === 0 ? 'every statement' : `not ${gone.length} of the statements`} of ${older.path}, and ${counted(added, 'other')}`,
    ];
    await writeText(io, lines.map((line) => `${printableLine(line)}\n`).join(''));
  }
  if (isGood) return;
  for (const { log, change, name } of changes)
    if (name === undefined && (change.kind === 'differs' || change.kind === 'other_log'))
      await writeText(io, checkpointsOf(log, newer));
  failNo(`${newer.path} does not contain ${older.path}.`);
}

type Change = LogChange | { readonly kind: 'missing' };

function changeIn(log: WholeLog, newer: Compared): { readonly change: Change; readonly name?: string } {
  const same = sameLog(log, newer);
  if (same) return { change: changeOf(log, same) };
  const renamed = renamedLog(log, newer);
  if (!renamed) return { change: { kind: 'missing' } };
  return { change: changeOf(log, renamed), name: renamed.checkpoint.origin };
}

function sameLog({ log, checkpoint }: WholeLog, { logs }: Compared): WholeLog | undefined {
  return logs.find((one) => one.log === log && one.checkpoint.origin === checkpoint.origin);
}

/** After a restore, a service may go on under another origin. Its logs keep their secrets. */
function renamedLog({ log, nonce }: WholeLog, { logs }: Compared): WholeLog | undefined {
  return logs.find((one) => one.log === log && isSameHash(one.nonce, nonce));
}

/** @param name of the log now, if it has another one. */
function changeWords(change: Change, { size }: WholeLog, name?: string): string {
  const renamed = name === undefined ? '' : `. The log is called ${name} now.`;
  switch (change.kind) {
    case 'grown':
      return change.by === 0
        ? `the same ${counted(size, 'entry', 'entries')}${renamed}`
        : `begins with the same ${counted(size, 'entry', 'entries')}, and has ${change.by} more${renamed}`;
    case 'shorter':
      return `ENDS EARLIER by ${counted(change.by, 'entry', 'entries')}. Is the newer manifest the older one?`;
    case 'differs':
      return `DIFFERS from entry ${change.index} on${renamed || '. The service has signed two histories'}`;
    case 'other_log':
      return 'IS ANOTHER LOG of the same thing. The service has kept two of them';
    case 'missing':
      return 'the newer manifest does not have this log as a whole, so only statements are compared';
  }
}

/** Both signed checkpoints, which together prove the contradiction. */
function checkpointsOf(log: WholeLog, newer: Compared): string {
  const notes = [log, sameLog(log, newer)].map((one) => one?.checkpoint.note ?? '');
  return `The checkpoints that contradict each other:\n\n${notes.join('\n')}`;
}
