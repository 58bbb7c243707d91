import { cidIn, cidUrn, codecs } from '../identifiers/cid.ts';
import type { NameIndex } from '../names/name-index.ts';
import { namingKind } from '../names/name-records.ts';
import type { BlobStore, Page, StatementScope, StoredStatement } from '../ports.ts';
import { claimOf } from '../signatures/proven.ts';
import type { Trust, TrustReader } from '../signatures/trust.ts';
import type { StatementIndex } from '../statements/questions.ts';
import { type DescribedRun, describeRuns } from './described.ts';
import { resultOf } from './run-document.ts';

export const runKind = 'ComputationRegistration';

export interface RunPorts {
  readonly statementIndex: Pick<StatementIndex, 'search' | 'referringTo' | 'form' | 'forms'>;
  readonly names: NameIndex;
  readonly blobs: Pick<BlobStore, 'readSmall'>;
  readonly trust: TrustReader;
}

/** What reading single runs needs. */
export interface FindRunPorts extends Omit<RunPorts, 'statementIndex'> {
  readonly statementIndex: Pick<RunPorts['statementIndex'], 'referringTo' | 'form' | 'forms'>;
}

/** Something with its name, if it has one. */
interface Named {
  readonly id: string;
  readonly name: string | null;
}

/** A computation, with what its registrant says about it. */
export interface Run extends DescribedRun {
  readonly id: string;
  readonly statement: StoredStatement;
  readonly name: string | null;
  readonly result: ReturnType<typeof resultOf>;
  readonly trust: Trust | undefined;
  /** Who ran it; otherwise who registered it. */
  readonly by: readonly Named[];
  readonly program: Named | null;
  readonly inputs: readonly Named[];
  readonly outputs: readonly Named[];
  readonly inputCount: number;
  readonly outputCount: number;
}

export interface RunPage {
  readonly runs: readonly Run[];
  readonly next?: string | undefined;
}

/** How many inputs and outputs are named. */
const namedInLists = 3;
const namedInDetails = 1_000;

/** The computations that a reader may see: newest stored first. With the start of a name, by name and newest first. */
export async function listRuns(
  ports: RunPorts,
  name: string | null,
  page: Page,
  scope: StatementScope,
): Promise<RunPage> {
  if (name === null) {
    const filter = { ...anything, kind: runKind };
    const { statements, next } = await ports.statementIndex.search(filter, page, scope);
    return { runs: await runsOf(ports, distinct(statements), scope, namedInLists), next };
  }
  const { statements: namings, next } = await ports.names.search(name, anything, page, scope);
  const statements = await computationsOf(ports, namings, scope);
  return { runs: await runsOf(ports, distinct(statements), scope, namedInLists), next };
}

const anything = { kind: null, subject: null, registeredBy: null, from: null, until: null };

/** A computation with everything about it; undefined if the reader may not see it. */
export async function findRun(
  ports: FindRunPorts,
  id: string,
  scope: StatementScope,
): Promise<Run | undefined> {
  const statement = await computationAt(ports, id, scope);
  const [run] = statement ? await runsOf(ports, [statement], scope, namedInDetails) : [];
  return run;
}

/** Runs of the same name that are looked at to find the one before. */
const mostBefore = 20;
const secondMs = 1_000;

/** The id of the last run with the same name that started before and was not withdrawn. */
export async function runBefore(ports: RunPorts, run: Run, scope: StatementScope): Promise<string | null> {
  const { name } = run;
  const start = startOf(run);
  if (name === null || start === null) return null;
  // Times of statements have whole seconds.
  const filter = { ...anything, until: start + secondMs };
  const page = { after: null, limit: mostBefore };
  const { statements } = await ports.names.search(name, filter, page, scope);
  const others = (await computationsOf(ports, statements, scope)).filter((one) => idOf(one) !== run.id);
  const found = await runsOf(ports, distinct(others), scope, 0);
  const before = found.filter(
    (one) => one.name === name && (startOf(one) ?? start) < start && one.trust?.state !== 'retracted',
  );
  before.sort((one, other) => (startOf(other) ?? 0) - (startOf(one) ?? 0));
  return before[0]?.id ?? null;
}

function startOf({ facts, statement }: Run): number | null {
  return facts?.started === undefined ? statement.time : Date.parse(facts.started);
}

async function computationAt(
  { statementIndex }: Pick<FindRunPorts, 'statementIndex'>,
  id: string,
  scope: StatementScope,
): Promise<StoredStatement | undefined> {
  const cid = cidIn(id);
  if (!cid) return undefined;
  const found =
    cid.codec === codecs.rdfc
      ? (await statementIndex.forms(cid, { after: null, limit: 1 }, scope)).statements[0]
      : await statementIndex.form(cid, scope);
  return found?.kind === runKind ? found : undefined;
}

/** The computations that MetadataRegistrations are about, in their order. */
async function computationsOf(ports: RunPorts, namings: readonly StoredStatement[], scope: StatementScope) {
  const found: StoredStatement[] = [];
  for (const { kind, references } of namings) {
    const subject = references.find(({ role }) => role === 'subject')?.identifier;
    const isStatement = subject !== undefined && cidIn(subject)?.codec === codecs.rdfc;
    const computation =
      kind === namingKind && isStatement ? await computationAt(ports, subject, scope) : undefined;
    if (computation) found.push(computation);
  }
  return found;
}

function idOf({ rdfcCid }: StoredStatement): string {
  return cidUrn(rdfcCid);
}

/** A statement can be stored in several forms. */
function distinct(statements: readonly StoredStatement[]): StoredStatement[] {
  return [...new Map(statements.toReversed().map((one) => [idOf(one), one])).values()].toReversed();
}

async function runsOf(
  ports: FindRunPorts,
  statements: readonly StoredStatement[],
  scope: StatementScope,
  mostNamed: number,
): Promise<Run[]> {
  const claims = statements.map(claimOf);
  const trusts = await ports.trust(claims);
  const described = await describeRuns(ports, claims, scope);
  const parts = statements.map((statement) => {
    const all = (role: string) =>
      statement.references.filter((one) => one.role === role).map(({ identifier }) => identifier);
    const operators = all('operatedBy');
    return {
      statement,
      id: idOf(statement),
      by: operators.length > 0 ? operators : all('registeredBy'),
      program: all('computation')[0],
      inputs: all('input'),
      outputs: all('output'),
    };
  });
  const shown = parts.flatMap(({ id, by, program = [], inputs, outputs }) => [
    [id, ...by],
    program,
    inputs.slice(0, mostNamed),
    outputs.slice(0, mostNamed),
  ]);
  const names = await ports.names.of(shown.flat(2), scope);
  const named = (id: string): Named => ({ id, name: names.get(id) ?? null });
  return parts.map(({ statement, id, by, program, inputs, outputs }) => {
    const about = described.get(id) ?? {};
    return {
      ...about,
      id,
      statement,
      name:
        about.facts?.name ?? names.get(id) ?? (program === undefined ? null : (names.get(program) ?? null)),
      result: resultOf(about.facts ?? {}),
      trust: trusts.get(id),
      by: by.map(named),
      program: program === undefined ? null : named(program),
      inputs: inputs.slice(0, mostNamed).map(named),
      outputs: outputs.slice(0, mostNamed).map(named),
      inputCount: inputs.length,
      outputCount: outputs.length,
    };
  });
}
