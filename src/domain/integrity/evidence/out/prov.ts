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
  const used: JsonObject[] = [];
  const generated: JsonObject[] = [];
  const associated: JsonObject[] = [];
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
      used.push({ 'prov:activity': made, 'prov:entity': add(one) });
    for (const one of outputs) generated.push({ 'prov:entity': add(one), 'prov:activity': made });
    if (by === '') continue;
    agent[maker] = {};
    associated.push({ 'prov:activity': made, 'prov:agent': maker });
  }
  const prefix = { cid: 'urn:cid:', did: 'did:', uuid: 'urn:uuid:', cairn: 'urn:cairn:' };
  return {
    prefix,
    entity,
    activity,
    agent,
    used: withIds(used),
    wasGeneratedBy: withIds(generated),
    wasAssociatedWith: withIds(associated),
  };
}

function withIds(relations: readonly JsonObject[]): JsonObject {
  return Object.fromEntries(relations.map((relation, at) => [`_:r${at + 1}`, relation]));
}

/** An identifier with the prefix of its scheme. */
function qualified(id: string): string {
  return id.replace(/^urn:(?=cid:|uuid:)/, '');
}
