import type { JsonObject } from '../../../json/is-object.ts';
import type { Step, Thing } from '../evidence.ts';
import type { ExternalReference, Work } from './cyclonedx-bom.ts';

/** Finds what the resources of a workflow are. */
export interface Resources {
  byRef(ref: string): Thing;
  external(reference: ExternalReference, place: string): Thing;
}

type InOrOut = NonNullable<Work['inputs']>[number];

/** A step for each workflow and task that says what went in or came out. */
export function formulationSteps(works: readonly Work[], place: string, resources: Resources): Step[] {
  return works.flatMap((work, at) => {
    const tasks = formulationSteps(work.tasks ?? [], `${place}/${at}/tasks`, resources);
    const step = stepOf(work, `${place}/${at}`, resources);
    return step ? [step, ...tasks] : tasks;
  });
}

function stepOf(work: Work, place: string, resources: Resources): Step | undefined {
  const { inputs = [], outputs = [], resourceReferences: used = [] } = work;
  const things = (list: readonly (InOrOut['resource'] | undefined)[], at: string): Thing[] =>
    list.flatMap((resource, index) => {
      const { ref, externalReference } = resource ?? {};
      if (ref !== undefined) return resources.byRef(ref);
      return externalReference ? resources.external(externalReference, `${place}/${at}/${index}`) : [];
    });
  const into = [
    ...things(
      inputs.map(({ resource }) => resource),
      'inputs',
    ),
    ...things(used, 'resourceReferences'),
  ];
  const out = things(
    outputs.map(({ resource }) => resource),
    'outputs',
  );
  if (into.length === 0 && out.length === 0) return undefined;
  return { inputs: into, outputs: out, facts: factsOf(work, [...inputs, ...outputs]) };
}

function factsOf(work: Work, given: readonly InOrOut[]): Step['facts'] {
  const { uid, description, taskTypes, steps, trigger, timeStart, timeEnd } = work;
  const parameters = given.flatMap(({ parameters = [] }) => parameters);
  const environment = given.flatMap(({ environmentVars = [] }) => environmentVars.map(variable));
  const said = { uid, description, taskTypes, steps, trigger, ...(parameters.length > 0 && { parameters }) };
  const metadata = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
  return {
    name: work.name ?? uid ?? 'Workflow',
    ...timesOf(timeStart, timeEnd),
    ...(environment.length > 0 && { environment: Object.fromEntries(environment) }),
    ...(Object.keys(metadata).length > 0 && { metadata: metadata as JsonObject }),
  };
}

function variable(
  given: string | { readonly name?: string; readonly value?: string },
): [string, string | null] {
  return typeof given === 'string' ? [given, null] : [given.name ?? '', given.value ?? null];
}

function timesOf(
  start: string | undefined,
  end: string | undefined,
): { started?: string; duration?: number } {
  const [from, to] = [Date.parse(start ?? ''), Date.parse(end ?? '')];
  return {
    ...(Number.isFinite(from) && { started: new Date(from).toISOString() }),
    ...(to >= from && { duration: (to - from) / 1000 }),
  };
}
