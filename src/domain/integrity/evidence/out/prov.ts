import type { JsonObject } from '../../../json/is-object.ts';
import { type Ancestry, type Artefact, timesOf } from './ancestry.ts';

/** PROV-JSON (W3C submission of 24 April 2013): entities, activities, agents, and the relations between them. */
export function provJson({ subject, runs }: Ancestry): JsonObject {
  const entity: Record<string, JsonObject> = {};
  const add = ({ id, name, digests }: Artefact): string => {
    const hashes = Object.entries(digests).map(([algorithm, hex]) => [`cairn:${algorithm}`, hex]);
    entity[qualified(id)] = { 'prov:label': name, ...Object.fromEntries(hashes) };
    return qualified(id);
  };
  add(subject);
  const activity: Record<string, JsonObject> = {};
  const agent: Record<string, JsonObject> = {};
  const [used, wasGeneratedBy, wasAssociatedWith]: Record<string, JsonObject>[] = [{}, {}, {}];
  const relate = (relations: Record<string, JsonObject> | undefined, relation: JsonObject) => {
    if (relations) relations[`_:r${Object.keys(relations).length + 1}`] = relation;
  };
  for (const run of runs) {
    const { id, name, by, inputs, outputs, program, facts } = run;
    const { start, end } = timesOf(run);
    const [made, maker] = [qualified(id), qualified(by)];
    activity[made] = {
      'prov:label': name,
      ...(start && { 'prov:startTime': start }),
      ...(end && { 'prov:endTime': end }),
      ...(facts.command && { 'cairn:command': facts.command.join(' ') }),
    };
    for (const one of [...inputs, ...(program ? [program] : [])])
      relate(used, { 'prov:activity': made, 'prov:entity': add(one) });
    for (const one of outputs) relate(wasGeneratedBy, { 'prov:entity': add(one), 'prov:activity': made });
    if (by === '') continue;
    agent[maker] = {};
    relate(wasAssociatedWith, { 'prov:activity': made, 'prov:agent': maker });
  }
  const prefix = { cid: 'urn:cid:', did: 'did:', uuid: 'urn:uuid:', cairn: 'urn:cairn:' };
  return { prefix, entity, activity, agent, used, wasGeneratedBy, wasAssociatedWith };
}

/** An identifier with the prefix of its scheme. */
function qualified(id: string): string {
  return id.replace(/^urn:(?=cid:|uuid:)/, '');
}
