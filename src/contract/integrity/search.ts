import { z } from 'zod';
import { nextCursor } from '../paging.ts';
import { wholeNumber } from '../parameters.ts';
import { patterns } from '../patterns.ts';
import { cidText, uuidText } from '../values.ts';

/** The groups of an answer, in the order in which they are shown. */
export const searchGroups = ['artefacts', 'computations', 'people', 'graphs', 'agents'] as const;
export type SearchGroup = (typeof searchGroups)[number];

export const thingQuery = z.object({
  q: z
    .string()
    .refine((text) => text.trim() !== '', 'must have a character')
    .max(2_000)
    .meta({
      pattern: patterns.notBlank,
      description:
        'Parts of a name or path in any case, of which all must be in it; or an identifier, or a digest in hex',
      example: 'trace',
    }),
  group: z.enum(searchGroups).optional().describe('Only this group'),
  limit: wholeNumber({ least: 1, most: 100, usual: 10 }),
  cursor: z.string().max(1_500).optional().describe('next_cursor of a group. It needs group'),
});

const thing = z.object({
  id: z.string().describe('As statements write it, or the agent_id'),
  name: z.string().nullable(),
  other_names: z.array(z.string()).describe('Some of its other names, the newest first'),
  type: z
    .string()
    .describe('The @type of a statement, or file, document, folder, entity, actor, graph or agent'),
  page: z.string().describe('The path of its page'),
  graph: z.object({ graph_id: uuidText, name: z.string() }).nullable().describe('A graph that tells of it'),
  folder: z
    .object({ collection: cidText, name: z.string().nullable(), path: z.string().describe('In the folder') })
    .optional()
    .describe('A folder that has it as a file'),
  timestamp: z.iso.datetime().nullable().describe('Of a statement that names it or refers to it'),
});

const group = z.object({ items: z.array(thing), next_cursor: nextCursor }).optional();

export const foundThings = z
  .object({
    artefacts: group,
    computations: group,
    people: group,
    graphs: group,
    agents: group.describe('Agents that the caller may see, if the control plane uses the same store'),
  })
  .meta({ id: 'FoundThings' });

export type ThingAnswer = z.output<typeof thing>;
export type FoundThingsAnswer = z.output<typeof foundThings>;
