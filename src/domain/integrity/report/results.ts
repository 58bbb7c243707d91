import { DigestSet } from '../identifiers/digest-set.ts';
import { blake3Digest } from '../identifiers/hashing.ts';
import type { StatementPage, StatementScope } from '../ports.ts';
import type { StatementIndex } from '../statements/questions.ts';

/** Everything is counted, but only the first ones are listed. */
export interface Results {
  readonly first: readonly string[];
  readonly count: number;
  /** Whether some are not listed, or there were too many statements to read all. */
  readonly isCut: boolean;
}

type Index = Pick<StatementIndex, 'search'>;

const page = 500;

/**
 * The outputs that no computation used. Without computations, what is registered as data.
 * @param listed how many are listed.
 * @param most how many statements are read.
 */
export async function resultsIn(
  index: Index,
  scope: StatementScope,
  listed: number,
  most = Number.POSITIVE_INFINITY,
): Promise<Results> {
  const used = new DigestSet();
  const reading = { left: most };
  for await (const identifier of endsIn(
    index,
    scope,
    'ComputationRegistration',
    ['input', 'computation'],
    reading,
  ))
    used.add(blake3Digest(identifier));
  reading.left = most;
  const outputs = endsIn(index, scope, 'ComputationRegistration', ['output'], reading);
  const made = await unused(outputs, used, listed);
  const found =
    made.count > 0
      ? made
      : await unused(endsIn(index, scope, 'DataRegistration', ['data'], reading), used, listed);
  return { ...found, isCut: found.count > found.first.length || reading.left <= 0 };
}

/** @param used gets the identifiers too, so that each is counted once. */
async function unused(identifiers: AsyncIterable<string>, used: DigestSet, listed: number) {
  const first: string[] = [];
  let count = 0;
  for await (const identifier of identifiers) {
    if (!used.add(blake3Digest(identifier))) continue;
    if (first.length < listed) first.push(identifier);
    count += 1;
  }
  return { first, count };
}

async function* endsIn(
  index: Index,
  scope: StatementScope,
  kind: string,
  roles: readonly string[],
  reading: { left: number },
) {
  const filter = { kind, subject: null, registeredBy: null, from: null, until: null };
  for (let after: string | null | undefined = null; after !== undefined && reading.left > 0; ) {
    const found: StatementPage = await index.search(filter, { after, limit: page }, scope);
    reading.left -= found.statements.length;
    for (const { references } of found.statements)
      for (const { identifier, role } of references) if (roles.includes(role)) yield identifier;
    after = found.next;
  }
}
