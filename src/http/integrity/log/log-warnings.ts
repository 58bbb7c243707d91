import { logWarnings as inWords } from '../../../contract/words/log-standing.ts';
import { type LogStandings, readStandings } from '../../../domain/log/witnessing/standings.ts';

/** What an operator has to know about the log. */
export async function logWarnings(standings: Pick<LogStandings, 'page'>): Promise<string[]> {
  const { own, witnesses } = await readStandings(standings);
  return inWords(own, witnesses);
}
