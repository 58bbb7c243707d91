import { commands, type FactShapes, signed, standings, statements } from './shared-fields.ts';

/** From harmless to bad. */
export const severities: readonly string[] = ['unknown', 'none', 'info', 'low', 'medium', 'high', 'critical'];

export const evidenceFacts = {
  signature: {
    signer: {
      type: 'string',
      says: 'The DID of the key, or the identity in a Sigstore certificate.',
      example: "it.signer.startsWith('did:web:')",
    },
    issuer: {
      type: 'string',
      says: 'Who vouched for a Sigstore identity.',
      example: "it.issuer == 'https://token.actions.githubusercontent.com'",
    },
    by: {
      type: 'signer',
      says: "The policy's name for the signer, whether or not the signature stands; '' if it has none.",
      example: "it.by == 'builder'",
    },
    kind: {
      type: 'string',
      says: 'How it was made.',
      oneOf: ['proof', 'credential', 'dsse', 'sigstore'],
      example: "it.kind == 'dsse'",
    },
    standing: {
      type: 'string',
      says: 'Whether it counts now.',
      oneOf: standings,
      example: "it.standing == 'good'",
    },
    is_registrant: {
      type: 'bool',
      says: 'Whether its signer registered the statement.',
      example: 'it.is_registrant',
    },
    time: {
      type: 'timestamp',
      says: 'From when on it is valid, if it says so.',
      example: "it.time > timestamp('2026-01-01T00:00:00Z')",
    },
    statements: statements('size(it.statements) > 0'),
  },
  provenance: {
    builder: {
      type: 'string',
      says: 'Who built it, as the provenance says.',
      example: "provenance.exists(p, p.builder.startsWith('https://github.com/'))",
    },
    build_type: {
      type: 'string',
      says: 'How it was built.',
      example: "provenance.exists(p, p.build_type != '')",
    },
    source: {
      type: 'string',
      says: 'The name of the first source that it was built from, such as github.com/example/app@main.',
      example: "provenance.exists(p, p.source.startsWith('github.com/example/'))",
    },
    ...signed('provenance[0]', commands.import),
  },
  component: {
    name: { type: 'string', says: 'Its name.', example: "components.all(c, c.name != 'left-pad')" },
    version: { type: 'string', says: 'Its version.', example: "components.all(c, c.version != '')" },
    purl: {
      type: 'string',
      says: 'Its package URL.',
      example: "components.exists(c, c.purl.startsWith('pkg:pypi/torch@'))",
    },
    licenses: {
      type: 'list(string)',
      says: 'Its licenses (SPDX). Unknown if the document names none.',
      example: 'components.all(c, size(c.licenses) > 0)',
    },
    statements: statements('components.all(c, size(c.statements) > 0)'),
  },
  vulnerability: {
    id: {
      type: 'string',
      says: 'Its number, such as CVE-2026-1234.',
      example: "vulnerabilities.all(v, v.id != 'CVE-2026-1234')",
    },
    severity: {
      type: 'string',
      says: "The worst severity that the document gives it, in a word or as a score of CVSS; 'unknown' if it gives none, as most VEX documents do.",
      example: "vulnerabilities.all(v, !(v.severity in ['critical', 'unknown']))",
      oneOf: severities,
    },
    state: {
      type: 'string',
      says: "What was decided about it, such as 'not_affected' or 'resolved'; '' if nothing was.",
      example: "vulnerabilities.all(v, v.state != 'exploitable')",
      command: commands.importAgain,
    },
    statements: statements('vulnerabilities.all(v, size(v.statements) > 0)'),
  },
  log: {
    origin: {
      type: 'string',
      says: 'The name of the log.',
      example: "subject.log.origin == 'cairn.example.com/log/v1'",
    },
    key: { type: 'string', says: 'The verifier key of the log.', example: "subject.log.key != ''" },
    index: { type: 'int', says: 'The position in the log.', example: 'subject.log.index >= 0' },
    size: {
      type: 'int',
      says: 'The size of the log when this was proven.',
      example: 'subject.log.size > subject.log.index',
    },
    at: {
      type: 'timestamp',
      says: 'When a witness saw it, the earliest.',
      example: "subject.log.at < timestamp('2026-12-31T00:00:00Z')",
    },
    witnesses: {
      type: 'list(witness)',
      says: 'The witnesses that saw it. With `log.witnesses` in the policy, only those.',
      example: 'size(subject.log.witnesses) >= 1',
    },
  },
  witness: {
    name: {
      type: 'string',
      says: 'Its name.',
      example: "subject.log.witnesses.exists(w, w.name == 'witness.example.org')",
    },
    key: {
      type: 'string',
      says: 'Its verifier key.',
      example: "subject.log.witnesses.exists(w, w.key != '')",
    },
    at: {
      type: 'timestamp',
      says: 'When it saw the log.',
      example: "subject.log.witnesses.exists(w, now - w.at < duration('24h'))",
    },
  },
} as const satisfies FactShapes;
