import { z } from 'zod';
import { isVkey } from '../../log/notes/vkey.ts';

/** The names of rules and signers stand in conditions, outputs and file names. */
const name = z.string().min(1).max(100);
const sentence = z.string().max(2_000);
const condition = z.string().min(1).max(10_000);

const aTime = 'must be a time with its zone, such as 2026-12-31T12:00:00Z';
const aDay = 'must be a day, such as 2026-12-31, or a time with its zone';

const signer = z.union([
  z
    .string()
    .regex(/^did:[a-z0-9]+:\S+$/, 'is no DID. Write did:…, service, or {sigstore: {identity, issuer}}')
    .regex(/^[^#?/]*$/, 'is more than a DID. Remove what begins with #, ? or /'),
  z.literal('service'),
  z.strictObject({
    sigstore: z.strictObject({
      identity: z.string().min(1).meta({ description: 'The e-mail address or URI in the certificate.' }),
      issuer: z.url('must be a URL').meta({ description: 'Who has vouched for the identity.' }),
    }),
  }),
]);

const vkey = z
  .string()
  .refine(isVkey, 'must be a verifier key: name+hash+key, as GET /log/v1/key answers it');

const exception = z.strictObject({
  until: z.iso
    .datetime({ offset: true, error: aDay })
    .or(z.iso.date(aDay))
    .meta({ description: 'The last day, which counts to its end in UTC, or the end as a time.' }),
  granted_by: z.string().min(1),
  reason: sentence.min(1),
});

const rule = z.strictObject({
  name: name.meta({ description: 'What the rule demands, in a few words. Unique in the policy.' }),
  for: condition
    .optional()
    .meta({ description: 'The things that it applies to, a list. Each of them is `it`.' }),
  require: condition.meta({ description: 'What must hold, in CEL.' }),
  severity: z.enum(['error', 'warning']).default('error'),
  message: sentence.optional().meta({ description: 'What to tell people if it fails.' }),
  may_be_empty: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether the rule passes if `for` finds nothing. Otherwise it cannot tell.' }),
  exception: exception
    .optional()
    .meta({ description: 'Until when a failure is accepted, and who has accepted it.' }),
  article: sentence.optional().meta({
    description: 'The demand of a law or standard that it comes from. Default: that of its first chapter.',
  }),
});

const shown = z.strictObject({
  label: name,
  value: condition.meta({
    description:
      'What a report prints there, in CEL: a text, a number, a time, a list, or members of metadata.',
  }),
});

const section = z.strictObject({
  title: name,
  text: sentence.optional().meta({ description: 'What it is about, for the readers of a report.' }),
  article: sentence.optional(),
  rules: z.array(name).default([]),
  show: z.array(shown).max(100).default([]),
});

const chapter = section.extend({ sections: z.array(section).max(100).default([]) });

const example = z
  .strictObject({
    name: name.optional(),
    manifest: z.string().min(1).optional().meta({ description: 'A manifest, relative to the policy.' }),
    subject: z.string().min(1).optional(),
    facts: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'What `cairn check --explain --json` prints.' }),
    now: z.iso.datetime({ offset: true, error: aTime }).optional(),
    expect: z.enum(['pass', 'fail', 'cannot_tell']),
    failing: z
      .array(name)
      .optional()
      .meta({ description: 'The rules that fail or cannot be told, all of them.' }),
  })
  .refine(({ facts, manifest }) => (facts === undefined) !== (manifest === undefined), {
    error: 'must have either facts or a manifest',
  });

export const policySchema = z.strictObject({
  cairn: z.literal('policy/1').meta({ description: 'The version of this form.' }),
  name,
  title: sentence.optional().meta({ description: 'What people call it. Reports have it as their title.' }),
  description: sentence.optional(),
  signers: z
    .record(
      z.string().regex(/^[\w-]{1,100}$/, 'is no name. Names have letters, digits, _ and -'),
      z.array(signer).min(1),
    )
    .default({})
    .meta({ description: 'Who is meant by which name.' }),
  log: z
    .strictObject({
      key: vkey
        .optional()
        .meta({ description: "The verifier key of the log's checkpoints (C2SP signed-note)." }),
      witnesses: z
        .array(vkey)
        .optional()
        .meta({ description: 'The verifier keys of the witnesses that count.' }),
    })
    .optional(),
  rules: z.array(rule).min(1).max(1_000),
  chapters: z.array(chapter).optional(),
  examples: z.array(example).max(1_000).optional(),
});

export type PolicyDocument = z.output<typeof policySchema>;
export type Rule = PolicyDocument['rules'][number];
export type Section = z.output<typeof section>;
export type Chapter = z.output<typeof chapter>;
export type PolicyExample = NonNullable<PolicyDocument['examples']>[number];

/** The JSON Schema (2020-12) of the document. */
export function policyJsonSchema(): object {
  return {
    $id: 'https://cairn.dev/policy-1.schema.json',
    title: 'A policy of Cairn',
    ...z.toJSONSchema(policySchema, { io: 'input' }),
  };
}
