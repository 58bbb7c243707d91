import type { Standing } from '../integrity/log.ts';
import { counted, harmless } from './text.ts';

type Time = (iso: string) => string;

/** Whether the log has a thing, since when, and who says so. Undefined if nothing is known about it. */
function loggedWords(standing: Standing, time: Time): string | undefined {
  if (standing.state === 'unknown') return undefined;
  if (standing.state === 'waiting') return 'Not in the log yet.';
  return `In the log ${sinceWords(standing, time)}`;
}

/** The same about several statements. The one that came last stands for all. */
export function allLoggedWords(standings: readonly Standing[], time: Time): string | undefined {
  const known = standings.filter(({ state }) => state !== 'unknown');
  const [first] = known;
  if (!first || known.length === 1) return first && loggedWords(first, time);
  const logged = known.filter(({ state }) => state === 'logged');
  if (logged.length === 0) return `None of the ${known.length} statements is in the log yet.`;
  if (logged.length < known.length)
    return `${logged.length} of ${known.length} statements are in the log, the others not yet.`;
  const last = logged.reduce((one, other) => ((one.since ?? '') < (other.since ?? '') ? other : one));
  const unseen = logged.filter(({ witnesses }) => witnesses.length === 0).length;
  const rest =
    unseen > 0 && last.witnesses.length > 0 ? ` No witness has confirmed ${unseen} of the others.` : '';
  return `All ${known.length} statements are in the log, the last one ${sinceWords(last, time)}${rest}`;
}

/** What the log of a graph or an agent has. Undefined for an empty one. */
export function wholeLoggedWords(
  standing: Standing & { readonly entries: number },
  time: Time,
): string | undefined {
  const entries = counted(standing.entries, 'entry', 'entries');
  if (standing.state === 'unknown') return undefined;
  if (standing.state === 'waiting')
    return standing.entries === 0 ? 'Not in the log yet.' : `${entries}, and more are not in the log yet.`;
  return `${entries}, the newest ${sinceWords(standing, time)}`;
}

function sinceWords({ since, clock, witnesses }: Standing, time: Time): string {
  const others = witnesses
    .filter(({ name }) => name !== clock)
    .map(({ name, at }) => `${harmless(name)} (${time(at)} by its clock)`);
  const by = clock === null ? "this service's own clock" : `the clock of the witness ${harmless(clock)}`;
  const told = `since ${time(since ?? '')} by ${by}.`;
  if (clock === null && others.length === 0) return `${told} No witness has confirmed it.`;
  if (others.length === 0) return told;
  return `${told} ${clock === null ? 'Witnessed later' : 'Also witnessed'} by ${others.join(', ')}.`;
}
