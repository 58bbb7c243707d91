import type { CollectionIndexes } from '../indexes.ts';

const isMilestone = { partialFilterExpression: { milestone: true } };

/** Each list of statements by its position, and its milestones; then what has few for each key. */
export const statementIndexes: CollectionIndexes = {
  collection: 'statements',
  indexes: [
    { name: 'references', key: { references: 1, position: -1 } },
    { name: 'references_milestones', key: { references: 1, milestone: 1, position: -1 }, ...isMilestone },
    { name: 'graphs', key: { graphs: 1, position: -1 } },
    { name: 'graphs_milestones', key: { graphs: 1, milestone: 1, position: -1 }, ...isMilestone },
    { name: 'projects', key: { projects: 1, position: -1 } },
    { name: 'projects_milestones', key: { projects: 1, milestone: 1, position: -1 }, ...isMilestone },
    { name: 'kind', key: { kind: 1, position: -1 } },
    { name: 'kind_milestones', key: { kind: 1, milestone: 1, position: -1 }, ...isMilestone },
    { name: 'trusted', key: { isTrusted: 1, position: -1 } },
    { name: 'trusted_milestones', key: { isTrusted: 1, milestone: 1, position: -1 }, ...isMilestone },
    { name: 'time', key: { time: 1, position: -1 } },
    { name: 'time_milestones', key: { time: 1, milestone: 1, position: -1 }, ...isMilestone },
    { name: 'rdfc', key: { rdfc: 1, position: 1 } },
    { name: 'contents', key: { graphs: 1, rdfc: 1, position: 1 } },
  ],
};

/** Lists that can be gone through from milestone to milestone. */
export type StatementListName = 'references' | 'graphs' | 'projects' | 'kind' | 'trusted' | 'time';
