import { z } from 'zod';
import {
  edgeMeanings,
  isStatementKind,
  type StatementKind,
  statementKindNames,
} from '../../domain/integrity/kinds/registry.ts';
import { type Direction, directions } from '../../domain/integrity/lineage/edges.ts';
import { lineageBounds } from '../../domain/integrity/lineage/lineage.ts';
import { booleanParameter, wholeNumber } from '../parameters.ts';
import { graphParameter, nodeParameter, unverified } from '../values.ts';
import { trust } from './trust.ts';

export const lineageParams = z.object({ id: nodeParameter });

const kindPattern = statementKindNames.join('|');

export const lineageQuery = z.object({
  direction: z
    .enum(Object.keys(directions) as [Direction, ...Direction[]])
    .default('both')
    .describe('upstream: what it was made from; downstream: what was made from it'),
  depth: wholeNumber(lineageBounds.depth).describe(
    'Maximum number of computations between the start and a node',
  ),
  limit: wholeNumber(lineageBounds.limit).describe('Maximum number of nodes'),
  kinds: z
    .string()
    .max(1_000)
    .transform((text) => text.split(','))
    .pipe(z.array(z.custom<StatementKind>(isStatementKind, `must be among ${statementKindNames.join(', ')}`)))
    .optional()
    .meta({
      type: 'string',
      maxLength: 1_000,
      pattern: `^(${kindPattern})(,(${kindPattern}))*$`,
      description: 'Only statements of these kinds, separated by commas',
      example: 'ComputationRegistration,CredentialRegistration',
    }),
  include_retracted: booleanParameter
    .default(false)
    .describe('Whether computations that were retracted are shown and followed'),
  graph_id: graphParameter,
});

export const reportQuery = z.object({
  graph_id: graphParameter,
  template: z
    .string()
    .max(100)
    .optional()
    .describe(
      'A template of Cairn, such as eu-ai-act-annex-iv. The report then lists its gaps, and fills its chapters',
    ),
});

export const lineage = z
  .object({
    id: z
      .string()
      .describe(
        'The start. For a statement this is its id, even if the request used its jcs_cid; for stored bytes the CID of their BLAKE3 hash, even if the request used another hash',
      ),
    nodes: z
      .array(
        z.object({
          id: z
            .string()
            .describe(
              'An identifier. One artefact is one node: bytes that are or were stored are called after their BLAKE3 CID. An artefact of less than 8 bytes, or an empty folder, is a node in each graph, and its id ends with # and the graph',
            ),
          kind: z.enum(['artefact', 'actor', 'statement']),
          type: z.string().optional().describe('Kind of the statement'),
          name: z.string().optional().describe('The name that its newest metadata gives it'),
          files: z
            .int()
            .optional()
            .describe(
              'How many files a folder has. Only those about which something is stated, or which were reached, are nodes',
            ),
          failed: z
            .literal(true)
            .optional()
            .describe('It is a computation that failed or was aborted, as its registrant says'),
          depth: z.int().describe('Steps from the start'),
          trust: trust.optional(),
          truncated: z.literal(true).optional().describe('Request the lineage of this node to see more'),
          hidden_edges: z.int().optional().describe('Minimum number of edges left out at this node'),
        }),
      )
      .describe('Only nodes that are statements have a type and a trust'),
    edges: z.array(
      z.object({
        from: z.string(),
        to: z.string(),
        kind: z.enum(Object.keys(edgeMeanings)),
        role: z
          .string()
          .describe(
            'The field of the statement that makes the edge; member for a containment, which follows from the bytes of the folder that the statement is about',
          ),
        statement: z.string(),
        type: z.string().optional().describe('The type of an association, as in its statement'),
        path: z.string().optional().describe('Of a containment: the path of the file in the folder'),
        registered_by: z.string().optional(),
        timestamp: z.iso.datetime().optional().describe('Of the statement, in UTC'),
        trust,
        unverified,
      }),
    ),
    truncated: z
      .boolean()
      .describe('Whether anything is left out because of depth, limit or the bound on reading'),
    retracted: z
      .int()
      .optional()
      .describe('How many computations are left out because they were retracted, if any'),
  })
  .meta({ id: 'Lineage' });

export type LineageAnswer = z.output<typeof lineage>;
export type LineageEdgeAnswer = LineageAnswer['edges'][number];
