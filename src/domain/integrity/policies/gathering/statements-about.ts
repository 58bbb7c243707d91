import { yieldToEventLoop } from '../../../yield-to-event-loop.ts';
import type { StatementScope } from '../../ports.ts';
import { placeNumber } from '../../statements/places.ts';
import type { StatementIndex } from '../../statements/questions.ts';
import type { ReferringStatement } from '../../statements/rows.ts';

/** Statements about one thing. */
export interface About {
  readonly statements: readonly ReferringStatement[];
  /** Whether there are more. */
  readonly isCut: boolean;
}

/** The most of one kind about one thing. */
const mostOfKind = 1_000;
const mostAtOnce = 20_000;
const identifiersAtOnce = 500;

const wanted = [
  { role: 'data', kind: 'DataRegistration' },
  { role: 'subject', kind: 'MetadataRegistration' },
  { role: 'subject', kind: 'GovernanceRegistration' },
].map((place) => ({ place: placeNumber(place), limit: mostOfKind }));

/** What is stated about each identifier: registrations of data, metadata, and governance documents. */
export async function statementsAbout(
  index: Pick<StatementIndex, 'referringTo'>,
  identifiers: readonly string[],
  scope: StatementScope,
): Promise<Map<string, About>> {
  const about = new Map<string, About>();
  for (let at = 0; at < identifiers.length; at += identifiersAtOnce) {
    const some = identifiers.slice(at, at + identifiersAtOnce);
    const answers = await index.referringTo({ identifiers: some, places: wanted, most: mostAtOnce }, scope);
    for (const [offset, { found, isCut }] of answers.entries())
      about.set(some[offset] ?? '', { statements: found.map(({ statement }) => statement), isCut });
    await yieldToEventLoop();
  }
  return about;
}

/** The identifiers in a field of a statement. */
export function inField({ references }: ReferringStatement, field: string): string[] {
  return references.filter(({ role }) => role === field).map(({ identifier }) => identifier);
}
