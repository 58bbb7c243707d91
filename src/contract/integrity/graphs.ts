import { z } from 'zod';
import { nextCursor, pageOf, paging } from '../paging.ts';
import { booleanParameter } from '../parameters.ts';
import { notBoth } from '../patterns.ts';
import { uuidField, uuidText } from '../values.ts';

export const graphNameLength = 500;

export const mostCounted = 10_000;

export const graphParams = z.object({ uuid: uuidField });

export const newGraph = z
  .strictObject({
    graph_id: uuidField,
    name: z.string().min(1).max(graphNameLength),
    parent_id: uuidField.nullish(),
    project_id: uuidField
      .nullish()
      .describe('Project of a root graph. Default: the graph id. A child belongs to the project of its root'),
  })
  // A child has the project of its root.
  .meta({ id: 'NewGraph', ...notBoth('parent_id', 'project_id') });

export const graph = z
  .object({ graph_id: uuidText, name: z.string(), parent_id: uuidText.nullable(), project_id: uuidText })
  .meta({ id: 'Graph' });

const statementCount = {
  statements: z
    .int()
    .optional()
    .describe(
      `The number of statements directly in the graph, at most ${mostCounted}; missing with counts=false`,
    ),
  statements_is_more: z.literal(true).optional().describe('There are more statements than were counted'),
};

const countedGraph = graph.extend(statementCount).meta({ id: 'CountedGraph' });

export const graphList = z
  .object({
    graphs: z.array(countedGraph),
    in_no_graph: z
      .object(statementCount)
      .optional()
      .describe('With in_no_graph=true: the statements that the caller may see and that are in no graph'),
    next_cursor: nextCursor,
  })
  .meta({ id: 'GraphList' });

export const graphWithChildren = pageOf({ graph: countedGraph, graphs: z.array(countedGraph) }).meta({
  id: 'GraphWithChildren',
});

export const counting = paging.extend({
  counts: booleanParameter.default(true).describe('Count the statements directly in each graph'),
});

export const graphQuery = counting.extend({
  name: z
    .string()
    .min(1)
    .max(graphNameLength)
    .optional()
    .describe('Only graphs with exactly this name, on every level; at most `limit`, without next_cursor'),
  in_no_graph: booleanParameter.optional().describe('Count the statements that are in no graph'),
});

export type CountedGraphAnswer = z.output<typeof countedGraph>;
export type GraphListAnswer = z.output<typeof graphList>;
export type GraphWithChildrenAnswer = z.output<typeof graphWithChildren>;
