import { z } from 'zod';
import { findings, foundStatements } from '../../contract/integrity/findings.ts';
import { jcs } from '../../domain/integrity/identification/jcs.ts';
import { cidOf, cidUrn, codecs } from '../../domain/integrity/identifiers/cid.ts';
import { documentLimit } from '../../domain/integrity/names/name.ts';
import { type RunFacts, readRun, resultOf } from '../../domain/integrity/runs/run-document.ts';
import { type ApiClient, ApiRefusal, answerBytes, answerJson } from '../client/api-client.ts';
import type { Artifact } from './artifacts.ts';

interface Step {
  readonly graphId: string | null;
  readonly program: Artifact | null;
  readonly inputs: readonly Artifact[];
  readonly outputs: readonly Artifact[];
  readonly facts: RunFacts & { readonly name: string };
}

/** The newest statements about an output that are looked at. */
const runsLooked = 100;
const list = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const computationShape = z.object({ computation: z.string(), input: list, output: list });

export interface EarlierRun {
  readonly id: string;
  readonly facts: RunFacts;
}

/** A run that succeeded with the same command, program, inputs and outputs; undefined if none is recorded. */
export async function earlierRun(client: ApiClient, step: Step): Promise<EarlierRun | undefined> {
  const [first] = step.outputs;
  const graph = step.graphId === null ? '' : `&graph_id=${step.graphId}`;
  if (!first) return undefined;
  const path = `/cid/v1/find/${first.cid.text}?limit=${runsLooked}${graph}`;
  const found = await unlessUnknown(client.send('GET', path));
  for (const { id, type, role } of found ? (await answerJson(found, findings)).statements : []) {
    if (type !== 'ComputationRegistration' || role !== 'output') continue;
    const statement = await answerJson(await client.send('GET', `/statements/v1/id/${id}`), computationShape);
    const facts = isSameStep(statement, step) ? await sameFacts(client, id, step.facts) : undefined;
    if (facts) return { id, facts };
  }
  return undefined;
}

function isSameStep(recorded: z.output<typeof computationShape>, step: Step): boolean {
  const { name, command } = step.facts;
  const described = jcs({ name, ...(command && { command }) });
  const used = cidUrn(step.program?.cid ?? cidOf(codecs.jcs, described));
  const inputs = step.inputs.length > 0 ? urnsOf(step.inputs) : new Set([used]);
  return (
    recorded.computation === used &&
    isSame(new Set(recorded.input), inputs) &&
    isSame(new Set(recorded.output), urnsOf(step.outputs))
  );
}

function urnsOf(artifacts: readonly Artifact[]): Set<string> {
  return new Set(artifacts.map(({ cid }) => cidUrn(cid)));
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && one.isSubsetOf(other);
}

async function sameFacts(client: ApiClient, id: string, facts: RunFacts): Promise<RunFacts | undefined> {
  const path = `/statements/v1?type=MetadataRegistration&subject=${encodeURIComponent(id)}`;
  const { statements } = await answerJson(await client.send('GET', path), foundStatements);
  for (const { statement } of statements) {
    const document = String(statement.metadata);
    const headers = { range: `bytes=0-${documentLimit}` };
    const blob = `/store/v1/blob/${encodeURIComponent(document)}`;
    const response = await unlessUnknown(client.send('GET', blob, { headers }));
    const run = response && readRun(Buffer.concat(await Array.fromAsync(answerBytes(response))));
    if (run && resultOf(run) === 'succeeded' && whatRan(run) === whatRan(facts)) return run;
  }
  return undefined;
}

function whatRan({ command = [], environment = {} }: RunFacts): string {
  return jcs({ command, environment });
}

async function unlessUnknown(response: Promise<Response>): Promise<Response | undefined> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 404) return undefined;
    throw error;
  }
}
