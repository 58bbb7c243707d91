import { readFile } from 'node:fs/promises';
import { errorBody } from '../../contract/errors.ts';
import { type CheckAnswer, checkAnswer } from '../../contract/integrity/checks.ts';
import { messageOf, ServiceError } from '../../domain/errors.ts';
import { Semaphore } from '../../domain/semaphore.ts';
import { boundedFetch, type Fetch } from './bounded-fetch.ts';

export interface CheckClientOptions {
  readonly serviceUrl: string;
  /** Read for each question, because tokens are replaced while the process runs. */
  readonly tokenFile: string | null;
  /** For a check, with the time until it may be sent. */
  readonly timeoutMs: number;
}

/** A policy as the service takes it. */
interface SentPolicy {
  readonly cid: string;
  readonly source: object;
}

/** Null: the service knows nothing about the subject. */
export type AskService = (subject: string, policy: SentPolicy) => Promise<CheckAnswer | null>;

const path = '/checks/v1';
const maxBytes = 4 << 20;
const checksAtOnce = 32;

/**
 * Asks an integrity service whether a subject passes a policy. The result rejects with a ServiceError `unavailable` whose
 * message says why there is no answer.
 */
export function checkClient({ serviceUrl, tokenFile, timeoutMs }: CheckClientOptions): AskService {
  const fetch = boundedFetch({ timeoutMs, maxBytes });
  const limit = new Semaphore(checksAtOnce);
  return async (subject, policy) => {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      return await limit.run(
        () => ask(fetch, { serviceUrl, tokenFile, subject, policy, signal }),
        '',
        signal,
      );
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause;
      const reason = signal.aborted
        ? `The integrity service has not answered within ${timeoutMs / 1_000} s.`
        : `The integrity service cannot be reached: ${reasonOf(cause)}.`;
      throw new ServiceError('unavailable', reason, { cause });
    }
  };
}

interface Question {
  readonly serviceUrl: string;
  readonly tokenFile: string | null;
  readonly subject: string;
  readonly policy: SentPolicy;
  readonly signal: AbortSignal;
}

async function ask(
  fetch: Fetch,
  { serviceUrl, tokenFile, subject, policy, signal }: Question,
): Promise<CheckAnswer | null> {
  const headers = { 'content-type': 'application/json', ...(await authorization(tokenFile)) };
  const body = JSON.stringify({ subject, policy: policy.source });
  const response = await fetch(serviceUrl + path, { method: 'POST', headers, body, signal });
  const text = await response.text();
  if (response.status !== 200) return nothingKnown(response.status, text);
  const { success, data, error } = checkAnswer.safeParse(parsed(text));
  if (success && data.policy === policy.cid) return data;
  throw new ServiceError(
    'unavailable',
    'The integrity service has not answered with a check of this policy.',
    {
      cause: error,
    },
  );
}

async function authorization(file: string | null): Promise<Record<string, string>> {
  if (file === null) return {};
  try {
    return { authorization: `Bearer ${(await readFile(file, 'utf8')).trim()}` };
  } catch (cause) {
    throw new ServiceError('unavailable', `The token file ${file} cannot be read.`, { cause });
  }
}

/** @throws ServiceError if the service has refused the question itself. A service without checks has no such path. */
function nothingKnown(status: number, text: string): null {
  const said = errorBody.safeParse(parsed(text)).data;
  if (said?.code === 'not_found' && !said.error.includes(path)) return null;
  const reason = said === undefined ? '.' : `: ${said.error}`;
  throw new ServiceError('unavailable', `The integrity service has answered ${status}${reason}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Node says "fetch failed", and the reason in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = (cause as { readonly code?: unknown } | null)?.code;
  return (messageOf(cause) || String(code)).replace(/\.$/, '');
}
