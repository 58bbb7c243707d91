import { z } from 'zod';
import { isCidUrn, isDid, isUrn, isUuidUrn } from '../identifiers/identifiers.ts';

const did = z.string().refine(isDid, 'must be a DID');
const cid = z.string().refine(isCidUrn, 'must be "urn:cid:" and a valid CID');
const uuid = z.string().refine(isUuidUrn, 'must be "urn:uuid:" and a UUID');
const urnOrDid = z
  .string()
  .refine((text) => isDid(text) || isUrn(text), 'must be a URN or a DID (a CID inside of it must be valid)');
const base64 = z.base64();

function oneOrMany(one: z.ZodType<string>) {
  return z.union([one, z.array(one).min(1)], { error: 'must be one value or a non-empty list of them' });
}

/** RFC 3339, UTC, whole seconds, `Z`. */
const timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, {
    error: 'must be an RFC 3339 time in UTC with seconds, as 2026-01-31T12:00:00Z',
    abort: true,
  })
  .refine((text) => isRealTime(text), 'must be a time that exists');

function isRealTime(text: string): boolean {
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString() === text.replace('Z', '.000Z');
}

const common = {
  '@context': z.union([z.string(), z.array(z.unknown())]),
  '@id': z.string().optional(),
  registeredBy: did,
  timestamp,
};

/** What every statement carries, foreign kinds in the own context too. */
export const anyStatement = z.object({
  ...common,
  '@type': z.union([z.string(), z.array(z.string()).min(1)], { error: 'must name a kind of statement' }),
});

function kind<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.object({ ...common, '@type': z.literal(type), ...shape });
}

const dsseEnvelope = z.object({
  payloadType: z.string(),
  payload: base64,
  signatures: z.array(z.object({ keyid: z.string().optional(), sig: base64 })).min(1),
});

/** The shapes of the statement kinds (vocabulary, statement kinds), as `PUT` demands them in the own context. */
export const statementKinds = {
  AssociationRegistration: kind('AssociationRegistration', {
    subject: urnOrDid,
    association: oneOrMany(urnOrDid),
    type: z.enum(['certifies', 'includes', 'isInstanceOf']).optional(),
  }),
  StorageRegistration: kind('StorageRegistration', { data: cid, storedOn: cid, operatedBy: did.optional() }),
  MetadataRegistration: kind('MetadataRegistration', { subject: urnOrDid, metadata: cid }),
  ComputationRegistration: kind('ComputationRegistration', {
    computation: cid.optional(),
    input: oneOrMany(cid),
    output: oneOrMany(cid),
    operatedBy: did,
    executedOn: z.string().optional(),
  }),
  CredentialRegistration: kind('CredentialRegistration', {
    credential: z.record(z.string(), z.unknown()).optional(),
    credentialDsse: dsseEnvelope.optional(),
    sigstoreBundle: base64.optional(),
    subject: urnOrDid.optional(),
  }).superRefine((statement, context) => {
    const carriers = ['credential', 'credentialDsse', 'sigstoreBundle'] as const;
    if (carriers.filter((field) => statement[field] !== undefined).length !== 1) {
      context.addIssue({ code: 'custom', message: `must have exactly one of ${carriers.join(', ')}` });
    }
    if ((statement.sigstoreBundle === undefined) !== (statement.subject === undefined)) {
      context.addIssue({
        code: 'custom',
        message: 'sigstoreBundle and subject belong together',
        path: ['subject'],
      });
    }
  }),
  DidRegistration: kind('DidRegistration', { did }),
  DataRegistration: kind('DataRegistration', { data: oneOrMany(cid) }),
  EntityRegistration: kind('EntityRegistration', { entity: oneOrMany(uuid) }),
  GovernanceRegistration: kind('GovernanceRegistration', { subject: urnOrDid, document: cid }),
} as const;

export type StatementKind = keyof typeof statementKinds;

export function isStatementKind(type: unknown): type is StatementKind {
  return typeof type === 'string' && Object.hasOwn(statementKinds, type);
}
