import { logWarnings as inWords } from '../../../contract/words/log-standing.ts';
import type { LogState } from '../../../domain/log/witnessing/standings.ts';

/** What an operator has to know about the log. */
export async function logWarnings(logState: () => Promise<LogState>): Promise<string[]> {
  const { own, witnesses } = await logState();
  return inWords(own, witnesses);
}
