import { z } from 'zod';
import { cidText, longestWait, preferHeader, statementCid, uuidField, uuidText } from '../values.ts';

const tile = z.string().max(100).meta({
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
export type Receipts = z.output<typeof receiptsAnswer>;

export const proofHeaders = preferHeader(
  `wait=10: answer when a published checkpoint has the statements, or after 10 seconds (RFC 7240), up to ${longestWait}`,
);
