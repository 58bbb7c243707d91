import { type Identify, isPreliminary, preliminaryId } from './statements.ts';

// JSON-LD is imported only when needed, because loading it takes time.

/** Computes ids on this machine. */
export async function openIdentifying(): Promise<Identify> {
  const { LocalIdentifier } = await import('../client/local-identifier.ts');
  const identifier = new LocalIdentifier([]);
  return async (statement) => {
    if (isPreliminary(statement)) return { ...statement, '@id': preliminaryId };
    const { jcs } = await identifier.identify(Buffer.from(JSON.stringify(statement)));
    return JSON.parse(jcs);
  };
}

/** Statements, each followed by the registration of its signed credential. */
export async function withSignatures(
  statements: readonly Uint8Array[],
  keyFile: string,
): Promise<Uint8Array[]> {
  const { openStatementSigning } = await import('../client/statement-signing.ts');
  const { sign } = await openStatementSigning(keyFile, []);
  const signed: Uint8Array[] = [];
  for (const statement of statements) signed.push(statement, await sign(statement));
  return signed;
}
