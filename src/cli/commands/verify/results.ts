import type { Io } from '../../terminal/io.ts';
import { writeText } from '../../terminal/output.ts';
import { bytesRead } from '../../terminal/progress.ts';

/** Takes what a verification finds, piece by piece. */
export interface Results {
  /** Takes a finding, as JSON in a line and as text for people. Either can be empty. */
  write(json: () => string, text: () => string): Promise<void>;
  /** Takes the number of bytes that were read so far. */
  read(bytes: number): void;
}

/** Prints the results in one of both forms. */
export function printed(
  io: Pick<Io, 'stdout' | 'stderr'>,
  { json: asJson }: { readonly json?: true },
): Results {
  return {
    write: async (json, text) => await writeText(io, asJson ? json() : text()),
    read: bytesRead(io),
  };
}
