import { type CheckAnswer, checkBody } from '../../../src/contract/integrity/checks.ts';
import { policyOf } from '../../../src/domain/integrity/policies/read-policy.ts';
import { listen } from '../../../src/platform/http/server.ts';

type Result = CheckAnswer['result'];

export interface CheckServer extends AsyncDisposable {
  readonly url: string;
  /** What is said about a digest. Others are not known. */
  readonly results: Map<string, Result>;
  readonly asked: { readonly subject: string; readonly authorization: string | null }[];
  /** The most questions that were open at once. */
  readonly most: () => number;
  /** Answers instead, if it is set. */
  instead?: (request: Request) => Response | Promise<Response>;
}

/** A server that speaks the contract of checks, and can fail in ways in which a service does not fail at will. */
export async function startCheckServer(): Promise<CheckServer> {
  let open = 0;
  let most = 0;
  const fetch = async (request: Request): Promise<Response> => {
    open += 1;
    most = Math.max(most, open);
    try {
      return await answer(request);
    } finally {
      open -= 1;
    }
  };
  const answer = async (request: Request): Promise<Response> => {
    if (server.instead) return await server.instead(request);
    const { subject, policy } = checkBody.parse(await request.json());
    server.asked.push({ subject, authorization: request.headers.get('authorization') });
    const reading = policyOf(policy);
    if ('problems' in reading) throw new Error(JSON.stringify(reading.problems));
    const result = server.results.get(subject);
    if (result === undefined) {
      const error = `Nothing is known about ${subject}.`;
      return Response.json({ error, code: 'not_found', request_id: '1' }, { status: 404 });
    }
    const rule = {
      name: 'signed by the builder',
      severity: 'error',
      result,
      decided_by: [],
      missing: result === 'fail' ? [{ fact: 'made_by', of: subject }] : [],
      doubts: result === 'cannot_tell' ? [{ code: 'not_said', fact: 'kind', of: subject }] : [],
      things: null,
    };
    const warning = { ...rule, name: 'small', severity: 'warning', result: 'fail', message: 'It is large.' };
    return Response.json({
      result,
      policy: reading.policy.cid,
      checked_at: '2026-06-01T00:00:00Z',
      truncated: false,
      verdicts: [{ result, subject, rules: [rule, warning] }],
    });
  };
  const listening = await listen({ fetch, host: '127.0.0.1', port: 0 });
  const server: CheckServer = {
    url: listening.url,
    results: new Map(),
    asked: [],
    most: () => most,
    [Symbol.asyncDispose]: () => listening.stop(0),
  };
  return server;
}
