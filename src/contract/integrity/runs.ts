import { z } from 'zod';
import { pageOf } from '../paging.ts';
import { wholeNumber } from '../parameters.ts';
import {
  cidText,
  graphParameter,
  jsonObject,
  startOfName,
  statementCid,
  unverified,
  uuidField,
  uuidText,
} from '../values.ts';
import { trust } from './trust.ts';

export const runsQuery = z.object({
  limit: wholeNumber({ least: 1, most: 200, usual: 50 }),
  cursor: z.string().max(1_500).optional().describe('next_cursor of the previous page'),
  graph_id: graphParameter,
  project_id: uuidField.optional().describe('Only runs of this project'),
  name: startOfName('The start of the name of the run, in any case. Sorted by name', 'train'),
});

export const runParams = z.object({
  id: statementCid.describe('The statement id of the computation, with or without urn:cid:'),
});

export const runQuery = z.object({ graph_id: graphParameter });

const named = z.object({ id: z.string(), name: z.string().nullable() });

const summary = {
  id: z.string().describe('The id of the ComputationRegistration'),
  name: z.string().nullable(),
  started: z.iso.datetime().nullable().describe('When it began, if its registrant says so'),
  timestamp: z.iso.datetime().nullable().describe('The time of the statement'),
  duration: z.number().nullable().describe('Seconds'),
  command: z.array(z.string()).nullable(),
  result: z.enum(['succeeded', 'failed', 'unknown']),
  exit_code: z.int().nullable(),
  signal: z.string().nullable().describe('What ended the command, such as SIGKILL'),
  by: z.array(named).describe('Who ran it; otherwise who registered it'),
  program: named.nullable(),
  input_count: z.int(),
  output_count: z.int(),
  inputs: z.array(named).describe('The first inputs; in a list at most 3'),
  outputs: z.array(named).describe('The first outputs; in a list at most 3'),
  trust,
  graphs: z.array(z.object({ id: uuidText, name: z.string() })).describe('At most 10'),
  unverified,
};

const run = z.object(summary);

export const runs = pageOf({ runs: z.array(run) }).meta({ id: 'Runs' });

export const runDetails = z
  .object({
    ...summary,
    jcs_cid: cidText,
    error: z.string().nullable().describe('Why a function failed'),
    parameters: z
      .array(z.object({ path: z.string(), cid: z.string(), values: jsonObject }))
      .describe('The parameters files, with what they contain'),
    metrics: jsonObject.nullable(),
    environment: z
      .record(z.string(), z.string().nullable())
      .nullable()
      .describe('Named environment variables; null for one that was not set'),
    git: z
      .object({
        commit: z.string().optional(),
        branch: z.string().optional(),
        clean: z.boolean().describe('Whether no tracked file was changed'),
        untracked: z.int().describe('Untracked files and folders'),
      })
      .nullable(),
    metadata: jsonObject.nullable(),
    description: z
      .object({ statement: z.string(), document: z.string(), trust })
      .nullable()
      .describe('The MetadataRegistration of the same registrant that says what was done'),
    before: z.string().nullable().describe('The id of the run of the same name before'),
  })
  .meta({ id: 'Run' });

export type RunAnswer = z.output<typeof run>;
export type RunsAnswer = z.output<typeof runs>;
export type RunDetailsAnswer = z.output<typeof runDetails>;
