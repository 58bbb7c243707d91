import type { Sighting } from '../domain/log/checkpoint-checks.ts';
import type { SeenHead } from '../domain/log/head-proof.ts';
import type { Cosigner } from '../domain/log/notes/tlog-proof.ts';
import type { LogStanding } from '../domain/log/standing.ts';
import type { Standing } from './integrity/log.ts';
import { counted } from './words/text.ts';

/** What a `LogName` is a log of. */
export function logSubject(name: string): string {
  const [kind = '', id = ''] = name.split('/');
  if (kind === 'graphs') return `graph ${id}`;
  return kind === 'agents' ? `agent ${id}` : `the log "${name}"`;
}

/** Before when something was in a log, and who says so. */
export function seenWords(seen: Sighting | null): string {
  if (!seen) return 'at a time that no signature tells';
  const day = new Date(seen.at * 1_000).toISOString().replace('.000Z', 'Z');
  if (seen.witnesses.length === 0) return `on ${day} at the latest, by the service's own clock`;
  return `on ${day} at the latest, by the clock of ${seen.witnesses.join(' and ')}`;
}

/** What a manifest has of a log. */
export function wholeLogWords(log: SeenHead & { readonly statements: number }): string {
  const { checkpoint, statements, serviceSize } = log;
  const has = `all ${counted(statements, 'statement')} that ${logSubject(log.log)} had at log size ${serviceSize.toLocaleString('en')}`;
  if (!checkpoint.isKnown)
    return `${has} of a log that calls itself ${checkpoint.origin}. Nobody can tell whose log it is without its key (--log-key, --log-policy)`;
  return `${has} of ${checkpoint.origin}, ${seenWords(checkpoint.seen)}`;
}

export function standingAnswer(standing: LogStanding): Standing {
  const { state } = standing;
  if (state !== 'logged') return { state, since: null, clock: null, witnesses: [] };
  const { since, clock, witnesses } = standing.publication;
  return { state, since: new Date(since).toISOString(), clock, witnesses: witnesses.map(cosignerAnswer) };
}

export function cosignerAnswer({ name, at }: Cosigner) {
  return { name, at: new Date(at * 1_000).toISOString() };
}
