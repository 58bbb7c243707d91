import { z } from 'zod';

/** How publishing the log goes, or how a witness answers. */
const logStanding = z.object({
  names: z.array(z.string()),
  size: z.int().nullable(),
  at: z.int().nullable(),
  problem: z.object({ code: z.string(), detail: z.string().nullable(), size: z.int().nullable() }).nullable(),
  since: z.int().nullable(),
});
export type LogStanding = z.output<typeof logStanding>;

const time = z.string().describe('ISO 8601');

/** How the log of a service is. */
export const logOverview = z.object({
  origin: z
    .string()
    .nullable()
    .describe('The name of the service log; null if this service has no key for it'),
  keys: z.array(z.string()).describe('Verifier keys of the log'),
  entries: z.int().describe('Entries of the service log, published or not'),
  published: z
    .object({
      entries: z.int(),
      at: time.describe('By the clock of the service'),
      witnesses: z.array(z.object({ name: z.string(), at: time.describe('By the clock of the witness') })),
    })
    .nullable()
    .describe('The last published checkpoint'),
  witnesses: z
    .array(
      z.object({
        name: z.string(),
        entries: z.int().nullable().describe('In the last tree that it has cosigned'),
        at: time.nullable(),
        problem: z.string().nullable().describe('Why it does not cosign'),
        since: time.nullable(),
      }),
    )
    .describe('Whom this service asks for cosignatures'),
  heads: z
    .array(
      z.object({
        entry: z.int(),
        blinded_name: z.string().describe('In base64. Who may view a graph can tell which one is its own'),
        size: z.int(),
        root: z.string(),
      }),
    )
    .describe('The newest published entries, newest first'),
  warnings: z.array(z.string()),
});
export type LogOverview = z.output<typeof logOverview>;

/** A receipt that holds. */
export const checkedReceipt = z.object({
  statement: z.string().describe('The statement that it is for'),
  log: z.string().describe('The log that has it, such as graphs/<uuid>'),
  index: z.int(),
  size: z.int().describe('Of that log'),
  entries: z.int().describe('Of the service log in the checkpoint'),
  witnesses: z.array(z.object({ name: z.string(), at: time })),
});
export type CheckedReceipt = z.output<typeof checkedReceipt>;
