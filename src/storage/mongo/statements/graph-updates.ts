import type { ObjectId } from 'mongodb';

/** Expressions that treat a single graph or project of a document like an array of one. */
export function arrayOf(field: 'graphs' | 'projects') {
  const value = `$${field}`;
  return { $cond: [{ $isArray: value }, value, [value]] };
}

/** Matches a document while it is in these graphs and no others. A plain `{ graphs }` also finds a graph among others. */
export function onlyIn(graphs: readonly ObjectId[]) {
  return { $expr: { $eq: [arrayOf('graphs'), graphs] } };
}

export function graphsWithout(keys: readonly ObjectId[]) {
  return { $filter: { input: arrayOf('graphs'), cond: { $not: [{ $in: ['$$this', keys] }] } } };
}

export function projectsWith(projects: readonly string[]) {
  return { $setUnion: [arrayOf('projects'), { $literal: projects }] };
}
