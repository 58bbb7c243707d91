import { nameText } from '../client/graphs.ts';
import { failNo, failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { say } from '../terminal/output.ts';
import { type Artifact, type Change, changesOf, hashPlaces } from './artifacts.ts';
import { type Folders, isBelow, placesOf, type RecordedPath } from './places.ts';

interface Wanted {
  readonly outputs: readonly string[];
  readonly sign?: string | undefined;
  readonly allowUnwrittenOutputs?: boolean | undefined;
}

interface Before extends Folders {
  readonly inputs: readonly Artifact[];
  /** The fingerprints of what was there before the run, by absolute path. */
  readonly before: ReadonlyMap<string, string>;
}

/** The service takes so many statements in one batch. */
const mostStatements = 10_000;

/** Says before a long run that it cannot be recorded if it changes its inputs. */
export function warnAboutOverlap(
  io: Pick<Io, 'stderr'>,
  inputs: readonly RecordedPath[],
  outputs: readonly string[],
): void {
  for (const { path, absolute } of inputs) {
    if (outputs.some((output) => isBelow(output, absolute)))
      say(
        io,
        `The input ${path} is an output, too, or contains one. If the command changes it, nothing is recorded.`,
      );
  }
}

/** Each file has a statement; data, computation and its metadata have one each; a signature doubles them; a name has two. */
export function assertCount(places: readonly RecordedPath[], { sign }: Pick<Wanted, 'sign'>): void {
  const most = mostStatements / (sign ? 2 : 1) - 6;
  if (places.length > most)
    failUsage(
      `These are ${places.length} files, and the limit is ${most}. Name their folder instead: it is recorded as a whole.`,
    );
}

/**
 * What the run wrote.
 * @throws Failure (no) if an output is missing, or was not written and nobody has allowed that.
 */
export async function outputsOf(
  io: Pick<Io, 'stderr'>,
  recording: Wanted,
  prepared: Before,
  { hasFailed }: { readonly hasFailed: boolean },
): Promise<{ readonly outputs: readonly Artifact[]; readonly unwritten: string[] }> {
  const missing: string[] = [];
  const places = await placesOf(recording.outputs, prepared, (path) => void missing.push(path));
  if (missing.length > 0 && !hasFailed)
    failNo(
      `${missing.map((path) => `The output ${nameText(path, 200)} does not exist after the command.`).join('\n')}\nNothing was recorded.`,
    );
  assertCount([...prepared.inputs, ...places], recording);
  const outputs = await hashPlaces(io, places);
  const isUnwritten = ({ absolute, survey: now }: Artifact) =>
    prepared.before.get(absolute) === now.fingerprint;
  // A run that failed made only what it wrote.
  if (hasFailed) return { outputs: outputs.filter((output) => !isUnwritten(output)), unwritten: [] };
  const unwritten = outputs.filter(isUnwritten).map(({ path }) => path);
  if (unwritten.length > 0 && !recording.allowUnwrittenOutputs) failUnwritten(unwritten);
  return { outputs, unwritten };
}

function failUnwritten(paths: readonly string[]): never {
  const lines = paths.map((path) => `The command did not write the output ${nameText(path, 200)}.`);
  const advice =
    'Nothing was recorded, because the record would say that the command made it. If it only reads the file, name it with --input. If it left the file as it was on purpose, use --allow-unwritten-outputs, and the record will say so.';
  failNo(`${lines.join('\n')}\n${advice}`);
}

export async function assertUnchanged(io: Pick<Io, 'stderr'>, artifacts: readonly Artifact[]): Promise<void> {
  const changes = await changesOf(io, artifacts);
  if (changes.length === 0) return;
  const lines = changes.map(
    ({ path, before, after, files }) =>
      `The input ${nameText(path, 200)} changed while the command ran:\n  before ${before.text}\n  after  ${after?.text ?? '(it is gone)'}${filesText(files)}`,
  );
  failNo(
    `${lines.join('\n')}\nNothing was recorded, because nobody can tell which content the command has read. Let the command write to another file, and run it again.`,
  );
}

const mostFiles = 10;

/** A line for each of the first files that differ. */
function filesText(files: Change['files']): string {
  const lines = files.slice(0, mostFiles).map(({ path, is }) => `\n  ${is.padEnd(7)} ${nameText(path, 200)}`);
  const more = files.length - lines.length;
  return lines.join('') + (more > 0 ? `\n  and ${more.toLocaleString('en')} more` : '');
}

/** @throws Failure (no) if something else writes to an output while it is recorded. */
export async function assertUnchangedOutputs(
  io: Pick<Io, 'stderr'>,
  outputs: readonly Artifact[],
): Promise<void> {
  const changes = await changesOf(io, outputs);
  if (changes.length === 0) return;
  const lines = changes.map(
    ({ path, files }) => `The output ${nameText(path, 200)} changed while it was hashed.${filesText(files)}`,
  );
  failNo(`${lines.join('\n')}\nNothing was recorded. Run it again when nothing else writes there.`);
}
