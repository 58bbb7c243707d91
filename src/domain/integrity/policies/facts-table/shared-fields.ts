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

export const sign = 'cairn statement DataRegistration --data ID --sign';
export const record = 'cairn record -- COMMAND';
export const importing = 'cairn import FILE';
export const review = 'cairn gov review …';

export const signedBy = (example: string) => ({
  type: 'signer' as const,
  says: "The policy's name for whoever signed it, the registrant first. Only signatures that verify and stand count; '' if nobody that the policy names has signed.",
  example,
  command: sign,
});
export const signers = (example: string) => ({
  type: 'list(signer)' as const,
  says: 'All signers that the policy names, whose signatures verify and stand.',
  example,
  command: sign,
});
export const signatures = (example: string) => ({
  type: 'list(signature)' as const,
  says: 'All signatures, also of signers that the policy does not name.',
  example,
  command: sign,
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
  command: 'cairn export --proofs',
});
export const id = (example: string) => ({ type: 'string' as const, says: 'Its identifier.', example });

export const standings = ['good', 'revoked', 'suspended', 'expired', 'not_yet_valid'] as const;

export const signed = (it: string) => ({
  signed_by: signedBy(`${it}.signed_by == 'builder'`),
  signers: signers(`'builder' in ${it}.signers`),
  signatures: signatures(`${it}.signatures.exists(s, s.standing == 'good')`),
  statements: statements(`size(${it}.statements) > 0`),
  log: logged(`${it}.log.index >= 0`),
});
