import { failNo } from '../terminal/failure.ts';
import { type Identify, isPreliminary, preliminaryId, type Statement } from './statements.ts';

/** Computes ids on this machine. Loads JSON-LD only when needed, because that takes time. */
export async function openIdentifying() {
  const { LocalIdentifier } = await import('../commands/verify/local-identifier.ts');
  const identifier = new LocalIdentifier([]);

  const identify: Identify = async (statement) => {
    if (isPreliminary(statement)) return { ...statement, '@id': preliminaryId };
    const { jcs } = await identifier.identify(Buffer.from(JSON.stringify(statement)));
    return JSON.parse(Buffer.from(jcs).toString());
  };

  /** The bytes of statements, each followed by its signed credential if there is a key. */
  async function signed(
    statements: readonly Statement[],
    keyFile: string | undefined,
  ): Promise<Uint8Array[]> {
    const lines = statements.map((statement, number) => ({
      number,
      bytes: Buffer.from(JSON.stringify(statement)),
    }));
    if (keyFile === undefined) return lines.map(({ bytes }) => bytes);
    const { signingOf } = await import('../commands/ingest/sign-batch.ts');
    const sign = await signingOf(keyFile, []);
    const end = { offset: 0, lines: lines.length };
    const batch = await sign({ statements: lines, refused: [], end });
    for (const { reason } of batch.refused) failNo(`A statement cannot be signed: ${reason}`);
    return batch.statements.map(({ bytes }) => bytes);
  }

  return { identify, signed };
}
