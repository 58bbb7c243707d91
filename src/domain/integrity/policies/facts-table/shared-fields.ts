/** As in the table. */
export interface FactShape {
  readonly type: string;
  /** What it is, for people. */
  readonly says: string;
  /** A condition that uses it. */
  readonly example: string;
  /** All values that it can have, if these are known. */
  readonly oneOf?: readonly string[];
  /** What would add it, if it is missing. `ID` stands for the identifier of the thing. */
  readonly command?: string;
}

export type FactShapes = Readonly<Record<string, Readonly<Record<string, FactShape>>>>;

/** The service of the commands, as a shell reads it: that of the environment, or the default. */
const service = `$\{CAIRN_URL:-http://127.0.0.1:3050}`;

/** Upper case stands for what the reader knows. */
export const commands = {
  record: 'cairn record --output FILE --sign KEY -- COMMAND',
  parameters: 'cairn record --params FILE --output FILE --sign KEY -- COMMAND',
  metrics: 'cairn record --metrics FILE --output FILE --sign KEY -- COMMAND',
  describe:
    'cairn put FILE && cairn statement MetadataRegistration subject=ID metadata=FILE | cairn ingest - --sign KEY',
  sign: 'cairn statement DataRegistration data=ID | cairn ingest - --sign KEY',
  signStored: `curl -sS "${service}/statements/v1/id/ID" | cairn ingest - --sign KEY`,
  review: registered('review', '{"decision": "approved"}'),
  declare: registered('declaration', '{"controlCid": "CONTROL", "statement": "TEXT"}'),
  certify: posted(
    'checks/v1/certificate/PROJECT',
    '{"subject": "ID", "policy": "POLICY", "expiryDate": "DATE"}',
  ),
  admit: posted('gov/v1/identity/membership/PROJECT', '{"subjectDid": "ID", "expiryDate": "DATE"}'),
  import: 'cairn import FILE',
  // A document counts until it is retracted.
  importAgain: 'cairn import FILE && cairn retract STATEMENT --reason TEXT',
  prove: 'cairn export --proofs -o FILE',
} as const;

function registered(name: string, document: string): string {
  return `echo '${document}' > ${name}.json && cairn put ${name}.json && cairn statement GovernanceRegistration subject=ID document=${name}.json | cairn ingest - --sign KEY`;
}

function posted(path: string, body: string): string {
  return `curl -sS "${service}/${path}" --json '${body}'`;
}

/** What would add a signature. Undefined for what others sign. */
type Signing = string | undefined;

export const signedBy = (example: string, command: Signing) => ({
  type: 'signer' as const,
  says: "The policy's name for whoever signed it, the registrant first; of several names for one signer, the policy's first. Only signatures that verify and stand count; '' if nobody that the policy names has signed.",
  example,
  ...(command !== undefined && { command }),
});
export const signers = (example: string, command: Signing) => ({
  type: 'list(signer)' as const,
  says: 'All signers that the policy names, whose signatures verify and stand.',
  example,
  ...(command !== undefined && { command }),
});
export const signatures = (example: string, command: Signing) => ({
  type: 'list(signature)' as const,
  says: 'All signatures, also of signers that the policy does not name.',
  example,
  ...(command !== undefined && { command }),
});
export const statements = (example: string) => ({
  type: 'list(string)' as const,
  says: 'The ids of the statements that say so.',
  example,
});
export const logged = (example: string) => ({
  type: 'log' as const,
  says: 'Where the statement stands in a transparency log.',
  example,
  command: commands.prove,
});
export const id = (example: string) => ({ type: 'string' as const, says: 'Its identifier.', example });

export const standings = ['good', 'revoked', 'suspended', 'expired', 'not_yet_valid'] as const;

export const signed = (it: string, command?: string) => ({
  signed_by: signedBy(`${it}.signed_by == 'builder'`, command),
  signers: signers(`'builder' in ${it}.signers`, command),
  signatures: signatures(`${it}.signatures.exists(s, s.standing == 'good')`, command),
  statements: statements(`size(${it}.statements) > 0`),
  log: logged(`${it}.log.index >= 0`),
});
