import { z } from 'zod';
import { isObject } from '../../json/is-object.ts';
import { base64, link, literal, urnOrDid } from './fields.ts';
import { cidUrnsIn, kind } from './kind.ts';

const envelope = z.object({
  payloadType: z.string(),
  payload: base64,
  signatures: z.array(z.object({ keyid: z.string().optional(), sig: base64 })).min(1),
});

const carriers = ['credential', 'credentialDsse', 'sigstoreBundle'];

export const credential = kind('CredentialRegistration', {
  label: 'Credential',
  meaning: 'Carries something signed, which vouches for a subject.',
  forms: [
    {
      meaning: 'Carries a W3C Verifiable Credential, which vouches for its subjects.',
      fields: ['credential'],
    },
    {
      meaning: 'Carries a DSSE envelope, which vouches for the URN in its payload.',
      fields: ['credentialDsse'],
    },
    {
      meaning: 'Carries a Sigstore bundle, which vouches for the subject.',
      fields: ['subject', 'sigstoreBundle'],
    },
  ],
  symbol: 'M14 7 a5 5 0 1 1 -10 0 a5 5 0 1 1 10 0 Z M6 11.5 v5 l3 -2 l3 2 v-5',
  reads: '{signature} of {issuer} on {subject}',
  says: '{vouching} {credentialSubject|payload|subject}',
  fields: {
    credential: literal(
      z
        .record(z.string(), z.unknown())
        .meta({ form: 'a credential with its proof', file: 'json' })
        .optional(),
      'what the issuer has signed',
    ),
    credentialDsse: literal(
      envelope
        .meta({ form: 'an envelope with payloadType, payload and signatures', file: 'json' })
        .optional(),
      'what was signed, with its signatures',
    ),
    sigstoreBundle: literal(
      base64.meta({ form: 'base64 of the RFC 8785 form of the bundle', file: 'base64' }).optional(),
      'the signature, its certificate or key, and the entries of logs',
    ),
    subject: link(urnOrDid.optional(), 'what was signed'),
  },
  lineage: {
    edge: { name: 'credential', meaning: 'is vouched for by' },
    isOutward: (role) => role === 'credential',
    attached: ['credential', 'registeredBy'],
    facts: ['subject', 'credentialSubject', 'payload', 'evidence', 'credential'],
  },
  check: (statement, context) => {
    const issue = (message: string, path: string[] = []) =>
      context.addIssue({ code: 'custom', message, path });
    if (carriers.filter((field) => statement[field] !== undefined).length !== 1)
      issue(`must have exactly one of ${carriers.join(', ')}`);
    if ((statement.sigstoreBundle === undefined) !== (statement.subject === undefined))
      issue('sigstoreBundle and subject belong together', ['subject']);
  },
  furtherReferences: ({ credential: signed }, add) => {
    if (!isObject(signed)) return;
    add('credential', signed.id);
    for (const subject of [signed.credentialSubject].flat())
      add('credentialSubject', isObject(subject) ? subject.id : undefined);
    for (const [, urn] of cidUrnsIn(signed.evidence, 'evidence')) add('evidence', urn);
  },
});
