import { commands, type FactShapes, signed, standings } from './shared-fields.ts';

/**
 * A credential that nobody has signed proves nothing, and neither does one that rests on a check of which something was withdrawn.
 */
const credentialStandings = [...standings, 'unsigned', 'unsupported'] as const;

export const governanceFacts = {
  review: {
    decision: {
      type: 'string',
      says: "The decision, such as 'approved', 'rejected' or 'changes_requested'.",
      example: "reviews.exists(r, r.decision == 'approved')",
    },
    by: {
      type: 'string',
      says: 'Who decided, as the document claims.',
      example: "reviews.exists(r, r.by == 'did:web:example.com')",
    },
    at: {
      type: 'timestamp',
      says: 'When, as the document claims.',
      example: "reviews.exists(r, now - r.at < duration('2160h'))",
    },
    controls: {
      type: 'list(string)',
      says: 'The controls that were reviewed.',
      example: 'reviews.exists(r, size(r.controls) > 0)',
    },
    comment: { type: 'string', says: 'The comment.', example: "reviews.exists(r, r.comment != '')" },
    ...signed('reviews[0]', commands.review),
  },
  declaration: {
    text: {
      type: 'string',
      says: 'What was declared.',
      example: "declarations.exists(d, d.text.contains('GDPR'))",
    },
    by: {
      type: 'string',
      says: 'Who declared it, as the document claims.',
      example: "declarations.exists(d, d.by == 'did:web:example.com')",
    },
    at: {
      type: 'timestamp',
      says: 'When, as the document claims.',
      example: "declarations.exists(d, now - d.at < duration('8760h'))",
    },
    controls: {
      type: 'list(string)',
      says: 'The controls that it is for.',
      example: 'declarations.exists(d, size(d.controls) > 0)',
    },
    ...signed('declarations[0]', commands.declare),
  },
  certificate: {
    type: {
      type: 'string',
      says: 'Its types, without VerifiableCredential.',
      example: "certificates.exists(c, c.type == 'PolicyComplianceCredential')",
    },
    policy: {
      type: 'string',
      says: 'The policy that it certifies.',
      example: "certificates.exists(c, c.policy.startsWith('urn:cid:'))",
    },
    valid_from: {
      type: 'timestamp',
      says: 'From when on it is valid.',
      example: 'certificates.exists(c, c.valid_from < now)',
    },
    valid_until: {
      type: 'timestamp',
      says: 'How long it is valid.',
      example: "certificates.exists(c, c.valid_until - now > duration('24h'))",
    },
    standing: {
      type: 'string',
      says: 'Whether it counts now.',
      oneOf: credentialStandings,
      example: "certificates.exists(c, c.standing == 'good')",
    },
    ...signed('certificates[0]'),
  },
  membership: {
    project: { type: 'string', says: 'The project.', example: "memberships.exists(m, m.project != '')" },
    roles: {
      type: 'list(string)',
      says: 'The roles in it.',
      example: "memberships.exists(m, 'builder' in m.roles)",
    },
    standing: {
      type: 'string',
      says: 'Whether it counts now.',
      oneOf: credentialStandings,
      example: "memberships.exists(m, m.standing == 'good')",
    },
    ...signed('memberships[0]'),
  },
} as const satisfies FactShapes;
