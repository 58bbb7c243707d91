import { z } from 'zod';
import type { Check } from '../../domain/integrity/policies/check.ts';
import { type RuleVerdict, statementsListed } from '../../domain/integrity/policies/verdict.ts';
import { cidText, jsonObject, uuidField } from '../values.ts';

export const checkBody = z
  .strictObject({
    subject: z
      .string()
      .min(1)
      .max(2_000)
      .describe('A CID, a DID, a digest such as sha256:…, the UUID of a graph, or a name'),
    policy: z
      .union([jsonObject, z.string().min(1)])
      .describe('The policy as JSON, its text in YAML, or the CID of a policy that is stored here'),
    graph_id: uuidField.optional().describe('Read only what this graph holds'),
    explain: z.boolean().default(false).describe('Whether to answer the facts too'),
  })
  .meta({ id: 'CheckRequest' });

const result = z.enum(['pass', 'fail', 'cannot_tell']);

const kind = z
  .string()
  .optional()
  .describe(
    'The kind of fact that has it, such as artefact or review; none for what conditions name everywhere',
  );

const ruleVerdict = z.object({
  name: z.string(),
  severity: z.enum(['error', 'warning']),
  result: z
    .enum(['pass', 'fail', 'cannot_tell', 'excepted'])
    .describe('excepted: it failed, and somebody has accepted that until a time'),
  message: z.string().optional(),
  article: z.string().optional(),
  exception: z.object({ until: z.string(), granted_by: z.string(), reason: z.string() }).optional(),
  decided_by: z
    .array(z.string())
    .describe(`The ids of the statements that decided, the first ${statementsListed}`),
  missing: z
    .array(z.object({ fact: z.string(), kind, of: z.string() }))
    .describe('Facts that it looked for in vain, and of what'),
  doubts: z
    .array(z.object({ code: z.string(), fact: z.string().optional(), kind, of: z.string().optional() }))
    .describe('Why it cannot be told'),
  withdrawn: z
    .array(
      z.object({
        statement: z.string(),
        state: z
          .string()
          .describe('retracted, revoked, suspended, expired, not_yet_valid, unsigned or unsupported'),
        by: z
          .string()
          .optional()
          .describe('Who has retracted it, if that is signed, or whose signature it is'),
        at: z.string().optional(),
        reason: z.string().optional(),
      }),
    )
    .optional()
    .describe('Evidence that it would have looked at, and that does not count now'),
  things: z
    .object({ count: z.int(), deciding: z.array(z.string()) })
    .nullable()
    .describe('Of a rule with for: how many things it was applied to, and those that decided'),
});

const verdict = z.object({
  result,
  subject: z.string().describe('An identifier'),
  rules: z.array(ruleVerdict),
  facts: jsonObject.optional().describe('What the conditions could read, if it was asked for'),
});

export const checkAnswer = z
  .object({
    result: result.describe('The worst of all verdicts'),
    policy: cidText.describe('The JCS CID of the policy'),
    checked_at: z.iso.datetime(),
    truncated: z.boolean().describe('Whether there are more subjects than were checked'),
    verdicts: z.array(verdict).describe('One for each subject: several for a graph or a manifest'),
  })
  .meta({ id: 'Check' });

export type CheckAnswer = z.output<typeof checkAnswer>;

/** @param facts of each verdict, if they were asked for. */
export function checkJson(check: Check, facts?: readonly object[]): CheckAnswer {
  return {
    result: check.result,
    policy: check.policy,
    checked_at: check.checkedAt,
    truncated: check.isCut,
    verdicts: check.verdicts.map(({ result: of, subject, rules }, at) => ({
      result: of,
      subject,
      rules: rules.map(ruleJson),
      ...(facts?.[at] && { facts: { ...facts[at] } }),
    })),
  };
}

function ruleJson({ decidedBy, missing, doubts, withdrawn, things, exception, ...rule }: RuleVerdict) {
  return {
    ...rule,
    ...(exception && { exception }),
    decided_by: decidedBy.slice(0, statementsListed),
    missing: [...missing],
    doubts: [...doubts],
    ...(withdrawn && { withdrawn: [...withdrawn] }),
    things: things && { count: things.count, deciding: [...things.deciding] },
  };
}
