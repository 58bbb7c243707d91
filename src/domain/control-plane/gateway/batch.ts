import { callerKey } from '../../access/access.ts';
import type { Records } from '../../collections/records.ts';
import { type ErrorDetail, ServiceError } from '../../errors.ts';
import { jcs } from '../../integrity/identification/jcs.ts';
import { blake3Digest } from '../../integrity/identifiers/hashing.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import type { Agent, Agents } from '../agents/agents.ts';
import { type Users, userBySubject } from '../users.ts';

export const mostRecords = 1_000;
/** The other problems of a record are told when these are solved. */
const problemsPerRecord = 3;
const checkedAtOnce = 16;
const usersAskedAtOnce = 16;

/** What one record of a batch came to. */
export interface Sent {
  readonly sourceId: string;
  /** The digest of everything that was sent. */
  readonly digest: string;
}

/**
 * Checks each record of a batch.
 * @param check throws a ServiceError, whose details are relative to the record.
 * @throws ServiceError with the problems of all records, and the code of the first one.
 */
export async function checkedRecords<Value, Result>(
  values: readonly Value[],
  check: (value: Value) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  const problems: ErrorDetail[] = [];
  for (const [index, value] of values.entries()) {
    if (index % checkedAtOnce === 0) await yieldToEventLoop();
    try {
      results.push(check(value));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { code, message } = error;
      const details = error.details ?? [{ reason: message.replace(/\.$/, '') }];
      problems.push(
        ...details
          .slice(0, problemsPerRecord)
          .map((detail) => ({ code, ...detail, ...placed(index, detail) })),
      );
    }
  }
  assertNoProblems(problems);
  return results;
}

/** @throws ServiceError with the code of the first problem, if there is one. */
export function assertNoProblems(problems: readonly ErrorDetail[]): void {
  const [first] = problems;
  if (!first) return;
  const { code = 'invalid_request', pointer, reason } = first;
  const count = new Set(problems.map((problem) => problem.index)).size;
  const records = count === 1 ? '1 record is' : `${count} records are`;
  throw new ServiceError(
    code,
    `${records} not accepted, so nothing was stored. At "${pointer}": ${reason}.`,
    { details: problems, mostDetails: mostRecords * problemsPerRecord },
  );
}

function placed(index: number, { pointer = '' }: { readonly pointer?: string }) {
  return { index, pointer: `/records/${index}${pointer}` };
}

/** A problem of a record. @param member the member that has it. */
export function problemAt(index: number, code: ErrorDetail['code'] & string, member: string, reason: string) {
  return { code, reason, ...placed(index, { pointer: `/${member}` }) };
}

export interface AgentOwners {
  readonly agents: Pick<Agents, 'among'>;
  readonly users: Pick<Users, 'page'>;
}

/**
 * Asks the store about the agents and their users.
 * @throws ServiceError `agent_revoked`; `forbidden` for an agent of a disabled user; `invalid_request`.
 */
export async function assertActive(
  { agents, users }: AgentOwners,
  records: readonly { readonly agentId: string }[],
): Promise<void> {
  const ids = [...new Set(records.map(({ agentId }) => agentId))];
  const found = (await agents.among('key', ids, 1)).flat();
  const byId = new Map(found.map((agent) => [agent.id, agent]));
  const disabled = await disabledOwners(users, found);
  const problems = records.flatMap(({ agentId }, index) => {
    const problem = (code: 'agent_revoked' | 'forbidden' | 'invalid_request', reason: string) => [
      problemAt(index, code, 'agent_id', reason),
    ];
    const agent = byId.get(agentId);
    if (!agent) return problem('invalid_request', `there is no agent "${agentId}"`);
    if (agent.state === 'revoked') return problem('agent_revoked', `the agent "${agentId}" is revoked`);
    if (!disabled.has(callerKey(agent))) return [];
    return problem(
      'forbidden',
      `the user of the agent "${agentId}" is disabled. An administrator can hand the agent over`,
    );
  });
  assertNoProblems(problems);
}

async function disabledOwners(users: AgentOwners['users'], agents: readonly Agent[]) {
  const owners = new Map(agents.map((agent) => [callerKey(agent), agent]));
  const disabled = new Set<string>();
  const asked = mapConcurrent(owners, usersAskedAtOnce, async ([owner, { issuer, subject }]) => {
    if ((await userBySubject(users, issuer, subject))?.disabled) disabled.add(owner);
  });
  for await (const _ of asked);
  return disabled;
}

/** Two records with the same digest have the same content. @param value JSON. */
export function contentDigest(value: object): string {
  return Buffer.from(blake3Digest(jcs(value))).toString('hex');
}

/**
 * Stores the records that are new, each once, and leaves those with a known source id as they are.
 * @param make makes the records to store. It is called once, with the first of each source id, and not for known ones.
 * @returns the stored record for each one that was sent, in order. @throws ServiceError `conflict` for a source id with
 * other content. Records of the same request that another request stores at this moment can be stored by then.
 */
export async function insertOnce<Item extends Sent, One extends Sent, Index extends string>(
  records: Pick<Records<Item, Index>, 'among' | 'insert'>,
  bySource: Index,
  sent: readonly One[],
  make: (fresh: readonly One[]) => Promise<readonly Item[]>,
): Promise<Item[]> {
  const known = new Map<string, Item>();
  const read = async (ids: readonly string[]) => {
    const found = await records.among(bySource, ids, 1);
    for (const [item] of found) if (item) known.set(item.sourceId, item);
  };
  await read(sent.map(({ sourceId }) => sourceId));
  const firsts = new Map<string, One>();
  for (const one of sent) if (!firsts.has(one.sourceId)) firsts.set(one.sourceId, one);
  assertSameKeys(sent, ({ sourceId }) => known.get(sourceId) ?? firsts.get(sourceId));
  const fresh = [...firsts.values()].filter(({ sourceId }) => !known.has(sourceId));
  const made = fresh.length === 0 ? [] : await make(fresh);
  const isNew = await records.insert(made);
  for (const [at, item] of made.entries()) if (isNew[at]) known.set(item.sourceId, item);
  // Another request has stored these meanwhile.
  const late = made.filter((_, at) => !isNew[at]).map(({ sourceId }) => sourceId);
  if (late.length > 0) await read(late);
  assertSameKeys(sent, ({ sourceId }) => known.get(sourceId));
  return sent.map(({ sourceId }) => known.get(sourceId) as Item);
}

function assertSameKeys<One extends Sent>(sent: readonly One[], known: (one: One) => Sent | undefined): void {
  const problems = sent.flatMap((one, index) => {
    if (known(one)?.digest === one.digest) return [];
    const reason = `another record with the source_id "${one.sourceId}" has other content`;
    return [problemAt(index, 'conflict', 'source_id', reason)];
  });
  assertNoProblems(problems);
}
