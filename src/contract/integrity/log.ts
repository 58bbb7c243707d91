import { z } from 'zod';
import { cidText, longestWait, preferHeader, statementCid, uuidField, uuidText } from '../values.ts';

export const tile = z.string().max(100).meta({
  pattern: '^(entries|0|[1-9][0-9]?)/(x[0-9]{3}/)*[0-9]{3}(\\.p/[1-9][0-9]{0,2})?$',
  description:
    'Level (or "entries"), index, and for a partial tile its width, as in c2sp.org/tlog-tiles. The slashes stand in the path.',
  example: '0/x001/x234/067.p/12',
});

export const logTileParams = z.object({ tile });
export const graphLogParams = z.object({ uuid: uuidField });
export const graphLogTileParams = graphLogParams.extend({ tile });

const graph_id = uuidField
  .optional()
  .describe(
    'The graph in whose log the statement is. Default: the oldest graph that the caller may view, or the log of statements without a graph',
  );

export const proofParams = z.object({
  statement: statementCid.meta({
    description: 'The id of the statement, with or without urn:cid:, or the jcs_cid of one form',
    example: 'bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu',
  }),
});
export const proofQuery = z.object({ graph_id });

/** Receipts of one request are written from one checkpoint. */
const mostProofs = 1_000;

export const proofsBody = z
  .strictObject({
    statements: z.array(statementCid).min(1).max(mostProofs).describe('Ids or jcs_cids of statements'),
    graph_id: graph_id.nullable(),
  })
  .meta({ id: 'AskForReceipts' });

export const receiptsAnswer = z
  .object({
    receipts: z.array(
      z.object({
        statement_id: z.string(),
        jcs_cid: cidText,
        graph_id: uuidText.nullable(),
        receipt: z
          .string()
          .nullable()
          .describe('A proof (c2sp.org/tlog-proof); null if no published checkpoint has the statement yet'),
      }),
    ),
  })
  .meta({ id: 'Receipts' });

/** Graphs of one question about standings. */
const mostGraphs = 100;

export const standingsBody = z
  .strictObject({
    statements: z.array(statementCid).max(mostProofs).default([]).describe('Ids or jcs_cids of statements'),
    graph_id: graph_id.nullable().default(null),
    graphs: z.array(uuidField).max(mostGraphs).default([]).describe('Graphs whose logs are asked about'),
  })
  .meta({ id: 'AskForLogStandings' });

const time = z.string().describe('ISO 8601');

const standing = z
  .object({
    state: z
      .enum(['logged', 'waiting', 'unknown'])
      .describe(
        'waiting: no published checkpoint has it, or all of it, yet. unknown: it does not exist or is empty, or the caller may not view it',
      ),
    since: time.nullable().describe('When it was first in a published checkpoint; null unless it is logged'),
    clock: z
      .string()
      .nullable()
      .describe('The witness whose clock says since when; null if only the clock of the service does'),
    witnesses: z
      .array(z.object({ name: z.string(), at: time.describe('By the clock of the witness') }))
      .describe('Who has confirmed it, the earliest first'),
  })
  .meta({ id: 'LogStanding' });
export type Standing = z.output<typeof standing>;

export const standingsAnswer = z
  .object({
    statements: z.array(standing).describe('In the order of the request'),
    graphs: z
      .array(
        standing.extend({
          entries: z.int().describe('Entries of its log in the newest published checkpoint'),
        }),
      )
      .describe('The newest entry of each, in the order of the request'),
  })
  .meta({ id: 'LogStandings' });
export type Standings = z.output<typeof standingsAnswer>;

export const proofHeaders = preferHeader(
  `wait=10: answer when a published checkpoint has the statements, or after 10 seconds (RFC 7240), up to ${longestWait}`,
);
