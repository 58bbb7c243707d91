import pMap from 'p-map';
import { ServiceError } from '../../../errors.ts';
import type { JsonObject } from '../../../json/is-object.ts';
import type { KeyedTurns } from '../../../keyed-turns.ts';
import { ownContextUrl } from '../../contexts/own.ts';
import { cidUrn, parseCid } from '../../identifiers/cid.ts';
import { statementTime } from '../../identifiers/timestamp.ts';
import { retractionKind } from '../../retractions/retraction-records.ts';
import { type JcsDocument, jcsDocument } from '../documents.ts';
import { derive, original, type Provenance, partOf } from '../statements.ts';
import { identified } from '../things.ts';
import { bytesOf, type EvidenceWriting } from '../writing.ts';
import { DatasetVersions, usesOf } from './dataset-versions.ts';
import type { Dataset, RunEvent } from './event.ts';
import { datasetDocument, parentIn } from './facets.ts';
import { inputThing, outputThing, runEvidence, runThing } from './run-evidence.ts';
import { hashed, type LineageRun, type LineageRuns, type LineageUses, runKey } from './run-records.ts';
import { isStated, mergeStates, type RunState, stateOf } from './run-state.ts';

export interface RunFollowing {
  readonly lineageRuns: Pick<LineageRuns, 'get' | 'insert' | 'update'>;
  readonly lineageUses: Pick<LineageUses, 'among' | 'insert' | 'update' | 'page'>;
  /** Processes meet in the records of runs. Within a process, works on the same run take turns. */
  readonly lineageTurns: KeyedTurns;
}

export interface RunOrigin {
  readonly registeredBy: string;
  readonly graphId: string | null;
  /** As `registrarKey` names who brings the events. */
  readonly registrar: string;
}

/** A conflict means that another process has changed the same run. */
const attempts = 100;

/**
 * Keeps what the events of runs say, and makes the statements of runs that have ended or that stream.
 * @returns for each event the id of the computation of its run, if it is about such a run.
 * @throws EvidenceProblem for a run with too many datasets.
 */
export async function followEvents(
  ports: RunFollowing,
  writing: EvidenceWriting,
  events: readonly (RunEvent | undefined)[],
  origin: RunOrigin,
): Promise<{ computations: readonly (string | undefined)[]; isNew: boolean }> {
  const follower = new LineageFollower(ports, writing);
  const computations = await follower.add(
    events.filter((event) => event !== undefined),
    origin,
  );
  return {
    computations: events.map((event) => event && computations.get(event.run.runId)),
    isNew: follower.isNew,
  };
}

class LineageFollower {
  /** Whether a statement was new. */
  isNew = false;
  readonly #ports: RunFollowing;
  readonly #writing: EvidenceWriting;
  readonly #versions: DatasetVersions;

  constructor(ports: RunFollowing, writing: EvidenceWriting) {
    this.#ports = ports;
    this.#writing = writing;
    this.#versions = new DatasetVersions(ports.lineageUses);
  }

  /** @returns the ids of the computations of those runs that have ended or that stream. */
  async add(
    events: readonly RunEvent[],
    origin: RunOrigin,
  ): Promise<ReadonlyMap<string, string | undefined>> {
    const documents = new Map<Dataset, JcsDocument>();
    for (const dataset of events.flatMap(({ inputs, outputs }) => [...(inputs ?? []), ...(outputs ?? [])])) {
      const document = datasetDocument(dataset);
      if (document) documents.set(dataset, jcsDocument(document));
    }
    await this.#writing.store([...documents.values()].map(bytesOf));
    const runs = [...Map.groupBy(events, ({ run }) => run.runId)];
    const ended = await pMap(
      runs,
      async ([runId, ofRun]) => {
        const state = ofRun
          .map((event) => stateOf(event, (dataset) => documents.get(dataset)?.cid.text ?? null))
          .reduce(mergeStates);
        return [runId, await this.#addToRun(state, origin)] as const;
      },
      { concurrency: runsAtOnce },
    );
    return new Map(ended);
  }

  async #addToRun(state: RunState, origin: RunOrigin): Promise<string | undefined> {
    const { lineageRuns, lineageTurns } = this.#ports;
    const { registrar, registeredBy, graphId } = origin;
    const id = runKey(registrar, registeredBy, graphId, state.runId);
    const merged = await lineageTurns.run(id, () =>
      merge(lineageRuns, { id, registeredBy, registrar, graphId }, state),
    );
    return isStated(merged) ? await this.#settle(id) : undefined;
  }

  /** Makes the statements of a run, then those of runs that have read what it wrote. */
  async #settle(id: string): Promise<string> {
    const { lineageRuns, lineageTurns } = this.#ports;
    return await trying(async () => {
      const settled = await lineageTurns.run(id, () => this.#makeStatements(id));
      if (settled.isStored) return settled.computation;
      for (const reader of settled.readers)
        await lineageTurns.run(reader, () => this.#makeStatements(reader));
      const { version, stored, made } = settled;
      const isDone = await lineageRuns.update(id, { version }, { stored, made });
      return isDone && settled.computation;
    });
  }

  async #makeStatements(id: string) {
    return await trying(async () => {
      const run = await this.#ports.lineageRuns.get(id);
      const state: RunState | undefined = run && JSON.parse(run.state);
      if (!run || !state || !isStated(state)) throw new TypeError('The run has not ended.');
      const uses = usesOf(run, state);
      await this.#versions.record(uses);
      const following = await this.#statements(run, state);
      const { computation, made, stored } = following;
      if (stored === run.stored) return { computation, isStored: true } as const;
      const all = [...new Set([...run.made, ...made])];
      const withdrawn = all.filter((one) => !made.includes(one));
      const version = await this.#recordMade(run, all, withdrawn);
      if (version === undefined) return undefined;
      const retractions = withdrawn.map((one) => retraction(one, computation, following.by));
      const { isNew } = await this.#writing.put(
        [...following.statements, ...retractions],
        following.documents.map(bytesOf),
        // Events of others change the run, but only who brought it can withdraw what it says.
        run.registrar ?? undefined,
      );
      this.isNew ||= isNew;
      const readers = await this.#versions.readers(run, uses);
      return { computation, isStored: false, version, stored, made, readers } as const;
    });
  }

  /**
   * Recorded first, so that whatever is stored can be withdrawn later, and nothing is withdrawn that has begun to count.
   * @returns the version of the record, unless it has changed.
   */
  async #recordMade(
    { id, version, made }: LineageRun,
    all: readonly string[],
    withdrawn: readonly string[],
  ): Promise<number | undefined> {
    // Otherwise two processes with the same statements would hinder each other.
    if (all.length === made.length && withdrawn.length === 0) return version;
    const next = await this.#ports.lineageRuns.update(
      id,
      { version },
      { version: version + 1, made: [...all] },
    );
    return next?.version;
  }

  async #statements(run: LineageRun, state: RunState) {
    const { written, first } = await this.#versions.read(run, state);
    const evidence = {
      ...runEvidence(state, written),
      descriptions: first.map(({ namespace, name }) => ({
        about: { name: '', reference: { namespace, name } },
        document: { name },
      })),
    };
    const by = { registeredBy: run.registeredBy, time: new Date(evidence.time ?? 0) };
    const { statements, documents, subjects } = await derive(evidence, by, this.#writing.identifyAll);
    const [computation = ''] = subjects;
    const described = [
      ...state.inputs.map((input) => ({ dataset: input, thing: inputThing(input, written.get(input)) })),
      ...state.outputs.map((output) => ({ dataset: output, thing: outputThing(output, state.runId) })),
    ].flatMap(({ dataset: { document }, thing }) =>
      document ? [original(identified(thing).id, cidUrn(parseCid(document.value)), by)] : [],
    );
    const parent = parentIn(state.facts.parent?.value);
    const whole = parent && identified(runThing(parent.job, parent.run.runId));
    const inParent = whole ? [partOf(whole.id, computation, by)] : [];
    const about = statements.filter(({ subject }) => subject === computation);
    const made = [computation, ...(await this.#writing.identifyAll([...about, ...inParent]))];
    const all = [...statements, ...described, ...inParent];
    const references = whole?.reference ? [...documents, whole.reference] : documents;
    // Otherwise each event of a run that goes on for months would make statements about its datasets, because statistics change.
    const stored = hashed(state.end ? all : made);
    return { computation, made, statements: all, documents: references, by, stored };
  }
}

/** Runs at work together share their writes. */
const runsAtOnce = 100;

async function merge(
  runs: RunFollowing['lineageRuns'],
  of: Pick<LineageRun, 'id' | 'registeredBy' | 'registrar' | 'graphId'>,
  state: RunState,
): Promise<RunState> {
  return await trying(async () => {
    const run = await runs.get(of.id);
    if (!run) {
      const begun = { ...of, version: 0, state: JSON.stringify(state), made: [], stored: null };
      const [isNew] = await runs.insert([begun]);
      return isNew && state;
    }
    const merged = mergeStates(JSON.parse(run.state), state);
    const text = JSON.stringify(merged);
    const { version, registrar } = run;
    if (text === run.state && registrar === of.registrar) return merged;
    const change = { version: version + 1, state: text, registrar: of.registrar };
    return (await runs.update(of.id, { version }, change)) && merged;
  });
}

/** Tries until there is a result. */
async function trying<Result>(work: () => Promise<Result | false | undefined>): Promise<Result> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const result = await work();
    if (result) return result;
  }
  throw new ServiceError('unavailable', 'Others are changing the same run. Try again.');
}

function retraction(subject: string, computation: string, { registeredBy, time }: Provenance): JsonObject {
  const reason = `Other events say more about the run. See ${computation}.`;
  const members = { '@context': ownContextUrl, '@type': retractionKind, registeredBy };
  return { ...members, timestamp: statementTime(time), subject, reason };
}
