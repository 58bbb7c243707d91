import {
  commands,
  type FactShapes,
  id,
  logged,
  signatures,
  signedBy,
  signers,
  statements,
} from './shared-fields.ts';

export const artefactFacts = {
  artefact: {
    id: id("subject.id.startsWith('urn:cid:')"),
    kind: {
      type: 'string',
      says: "What metadata calls it, such as 'dataset' or 'model'; 'folder' for a folder; '' if nothing says it. Metadata that its registrant has signed counts first, then the newest.",
      example: "subject.kind == 'model'",
      command: commands.describe,
    },
    kinds: {
      type: 'list(string)',
      says: 'All that metadata calls it, whoever says so. Others can add to it, and not take from it.',
      example: "!('dataset' in subject.kinds)",
    },
    name: {
      type: 'string',
      says: 'The name that metadata gives it, by the same rule.',
      example: "subject.name == 'model.bin'",
      command: commands.describe,
    },
    names: {
      type: 'list(string)',
      says: 'All its names.',
      example: "subject.names.exists(n, n.endsWith('.onnx'))",
    },
    hashes: {
      type: 'values',
      says: 'Its digests in hexadecimal digits: blake3, sha256. Only those that are known.',
      example: 'has(subject.hashes.sha256)',
    },
    size: {
      type: 'int',
      says: 'Its size in bytes, if its bytes are there.',
      example: 'subject.size < 1000000000',
    },
    media_type: {
      type: 'string',
      says: 'The media type that metadata gives it.',
      example: "subject.media_type == 'application/gzip'",
    },
    made_by: {
      type: 'list(computation)',
      says: 'The computations that made it.',
      example: "subject.made_by.exists(c, c.signed_by == 'builder')",
      command: commands.record,
    },
    signed_by: signedBy("subject.signed_by == 'builder'", commands.sign),
    signers: signers("'builder' in subject.signers", commands.sign),
    signatures: signatures(
      "subject.signatures.exists(s, s.kind == 'sigstore' && s.standing == 'good')",
      commands.sign,
    ),
    reviews: {
      type: 'list(review)',
      says: 'The reviews of it and of the declarations about it.',
      example: "subject.reviews.exists(r, r.decision == 'approved' && r.signed_by == 'reviewers')",
      command: commands.review,
    },
    declarations: {
      type: 'list(declaration)',
      says: 'What was declared about it for controls of policies.',
      example: "subject.declarations.exists(d, d.signed_by == 'owner')",
      command: commands.declare,
    },
    certificates: {
      type: 'list(certificate)',
      says: 'The credentials about it that are registered, such as compliance certificates.',
      example: "subject.certificates.exists(c, c.standing == 'good' && c.signed_by == 'authority')",
      command: commands.certify,
    },
    memberships: {
      type: 'list(membership)',
      says: 'The memberships in projects that it was given.',
      example: "subject.memberships.exists(m, m.standing == 'good')",
      command: commands.admit,
    },
    provenance: {
      type: 'list(provenance)',
      says: 'Imported build provenance about it (SLSA).',
      example:
        "subject.provenance.exists(p, p.builder.startsWith('https://github.com/') && p.signed_by == 'builder')",
      command: commands.import,
    },
    components: {
      type: 'list(component)',
      says: 'The components that imported SBOMs list. Unknown without an SBOM.',
      example: "subject.components.all(c, !('AGPL-3.0' in c.licenses))",
      command: commands.import,
    },
    vulnerabilities: {
      type: 'list(vulnerability)',
      says: 'The vulnerabilities that imported SBOMs and VEX documents list, each document until its statement is retracted. Unknown without such a document.',
      example: "subject.vulnerabilities.all(v, v.severity != 'critical' || v.state == 'not_affected')",
      command: commands.import,
    },
    model_signatures: {
      type: 'list(signature)',
      says: 'The signatures over the files of a model (OpenSSF model signing).',
      example: "subject.model_signatures.exists(s, s.standing == 'good')",
      command: 'cairn model sign FOLDER --private-key KEY --record',
    },
    metadata: {
      type: 'values',
      says: 'The members of its metadata.',
      example: "subject.metadata.license == 'MIT'",
      command: commands.describe,
    },
    statements: statements('size(subject.statements) > 0'),
    log: logged('subject.log.index >= 0'),
  },
} as const satisfies FactShapes;
