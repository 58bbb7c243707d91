import { z } from 'zod';
import { type ShapeProblem, shapeProblems } from '../../json/shape-problems.ts';
import { factTable } from './fact-table.ts';
import { elementOf, type Facts, fieldsOf, sharedFacts } from './facts.ts';

export type FactsReading = { readonly facts: Facts } | { readonly problems: readonly ShapeProblem[] };

/** Reads facts that somebody wrote, or that `cairn check --explain --json` has printed. Most members may be left out. */
export function readFacts(value: unknown): FactsReading {
  const read = factsSchema().safeParse(value);
  return read.success ? { facts: read.data as Facts } : { problems: shapeProblems(factsSchema(), value) };
}

let known: z.ZodType | undefined;

function factsSchema(): z.ZodType {
  const ids = z.array(z.string()).default([]);
  const things = (name: keyof typeof sharedFacts) => z.record(z.string(), factSchema(name)).default({});
  known ??= z.strictObject({
    subject: z.string(),
    upstream: ids,
    members: ids,
    computations: ids,
    agents: ids,
    complete: z.boolean().optional(),
    ...unknowns,
    things: z
      .strictObject({
        artefacts: things('artefact'),
        computations: things('computation'),
        agents: things('agent'),
      })
      .prefault({}),
    logged: z.record(z.string(), factSchema('log')).optional(),
    service: ids,
    faults: ids,
    disputed: z.array(z.string()).optional(),
    retracted: z.array(retracted).optional(),
  });
  return known;
}

const retracted = z.strictObject({
  statement: z.string(),
  kind: z.string(),
  of: z.string(),
  by: z.string().optional(),
  at: z.string().optional(),
  reason: z.string().optional(),
});

const unknowns = {
  unknown: z.record(z.string(), z.string()).optional(),
  cut: z.array(z.string()).optional(),
  said_by: z.record(z.string(), z.array(z.string())).optional(),
};

/** Facts as plain data. Signers follow from signatures, so they cannot be written. */
function factSchema(name: keyof typeof factTable): z.ZodType {
  const said = name === 'computation' && { said_with: valueSchema('list(signature)').optional() };
  const fields = Object.entries(factTable[name]).filter(([, { type }]) => !type.includes('signer'));
  const members = fields.map(([field, { type }]) => [field, valueSchema(type).optional()] as const);
  return z.strictObject({ ...Object.fromEntries(members), ...unknowns, ...said });
}

const scalars: Readonly<Record<string, z.ZodType>> = {
  bool: z.boolean(),
  double: z.number(),
  int: z.int(),
  timestamp: z
    .string()
    .refine((text) => !Number.isNaN(Date.parse(text)), 'must be a time, such as 2026-12-31T12:00:00Z'),
  values: z.record(z.string(), z.unknown()),
};

function valueSchema(type: string): z.ZodType {
  const element = elementOf(type);
  if (element !== undefined) return z.array(valueSchema(element));
  const isPlain = fieldsOf(type) !== undefined && !Object.hasOwn(sharedFacts, type);
  return isPlain ? factSchema(type as keyof typeof factTable) : (scalars[type] ?? z.string());
}
