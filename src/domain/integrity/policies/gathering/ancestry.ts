import { containment } from '../../kinds/kind.ts';
import { isComputation } from '../../lineage/edges.ts';
import type { Lineage } from '../../lineage/graph.ts';
import { splitNode } from '../../lineage/one-node.ts';
import { originsOf, type Step } from '../../report/origins.ts';

/** A computation with what came out of it. */
export interface MadeStep extends Step {
  readonly outputs: readonly string[];
  readonly registeredBy: string | undefined;
}

/** What a thing was made from, over all steps. Things are nodes of the lineage. */
export interface Ancestry {
  readonly start: string;
  readonly upstream: readonly string[];
  readonly steps: ReadonlyMap<string, MadeStep>;
  /** The computations that made a thing, or a folder that has it. */
  readonly madeBy: ReadonlyMap<string, readonly string[]>;
  /** The files of folders about which something is stated. */
  readonly members: ReadonlyMap<string, readonly string[]>;
  /** Paths of files in folders, by the files. */
  readonly paths: ReadonlyMap<string, readonly string[]>;
  readonly isCut: boolean;
  /** The things of which a maker may be missing, or something that a maker used. */
  readonly cut: ReadonlySet<string>;
}

/** @param lineage upstream. */
export function ancestryOf(lineage: Lineage): Ancestry {
  const { start, nodes, edges } = lineage;
  const { steps, madeBy, cut } = originsOf(lineage);
  const types = new Map(nodes.map(({ id, type }) => [id, type]));
  const registrants = new Map(edges.map(({ statement, registeredBy }) => [statement, registeredBy]));
  const outputs = new Map<string, string[]>();
  const folders = new Map<string, string[]>();
  const members = new Map<string, string[]>();
  const paths = new Map<string, string[]>();
  for (const { from, to, role, kind, path } of edges) {
    if (role === 'output' && steps.has(from)) outputs.getOrInsertComputed(from, () => []).push(to);
    if (kind !== containment.name) continue;
    folders.getOrInsertComputed(to, () => []).push(from);
    members.getOrInsertComputed(from, () => []).push(to);
    if (path !== undefined) paths.getOrInsertComputed(to, () => []).push(path);
  }
  const makers = new Map<string, readonly string[]>();
  const upstream: string[] = [];
  const walked = new Map<string, MadeStep>();
  const reached = new Set([start]);
  const cutThings = new Set<string>();
  let isCut = false;
  const open = isComputation(types.get(start) ?? '') ? [...goThrough(start)] : [start];
  for (let thing = open.shift(); thing !== undefined; thing = open.shift()) {
    if (thing !== start) upstream.push(thing);
    // Who made the folder made the file.
    const whole = [thing, ...(folders.get(thing) ?? [])];
    const made = whole.flatMap((one) => madeBy.get(one) ?? []);
    if ([...whole, ...made].some((one) => cut.has(one))) cutThings.add(thing);
    makers.set(thing, [...new Set(made)]);
    for (const step of made) open.push(...goThrough(step));
    if (!folders.has(thing)) open.push(...reach(members.get(thing) ?? []));
  }
  isCut ||= cutThings.size > 0;
  return { start, upstream, steps: walked, madeBy: makers, members, paths, isCut, cut: cutThings };

  function goThrough(id: string): string[] {
    const step = steps.get(id);
    if (!step || walked.has(id)) return [];
    walked.set(id, { ...step, outputs: outputs.get(id) ?? [], registeredBy: registrants.get(id) });
    isCut ||= cut.has(id);
    return reach(step.inputs);
  }

  function reach(things: readonly string[]): string[] {
    const further = things.filter((one) => !reached.has(one));
    for (const one of further) reached.add(one);
    return further;
  }
}

/** The identifier of a node. */
export function artefactOf(node: string): string {
  return splitNode(node)[0];
}
