import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { decodeJwt } from 'jose';
import { freePort } from '../../bench/free-port.ts';

type AuthCall = 'validate' | 'authorize';

/** A failure instead of an answer. `hang` lasts until the failure is changed. */
export type AuthFailure =
  | 'status-404'
  | 'status-500'
  | 'status-503'
  | 'hang'
  | 'reset'
  | 'malformed'
  | 'huge';

type Rejection = 400 | 401 | 403 | 422;

interface Grant {
  readonly permission: string;
  /** `*` for any. */
  readonly resource: { readonly type: string; readonly id: string };
}

/** An auth service on this machine. It knows the tokens that a test registers and rejects all others. */
export interface TestAuthService extends AsyncDisposable {
  readonly url: string;
  /** Registers a token. @param answer the body of the answer to `validate`, such as `{sub, claims}`. */
  know(token: string, answer: Readonly<Record<string, unknown>>): void;
  /** Accepts JWTs that nobody has registered, too. @param read what they say about their subject. */
  understand(read: (subject: string) => { readonly grants: readonly Grant[] } | undefined): void;
  /** Rejects a token from now on. @param status default: 401. */
  reject(token: string, status?: Rejection): void;
  /** Sets what `authorize` allows a token. Everything else is answered `{allowed: false}`. */
  allow(token: string, ...grants: Grant[]): void;
  /** @param calls default: both. */
  fail(problem: AuthFailure | undefined, ...calls: AuthCall[]): void;
  /** The number of calls, optionally with one token. */
  calls(call: AuthCall, token?: string): number;
  stop(): Promise<void>;
  /** Listens again, on the same port. */
  start(): Promise<void>;
}

interface Known {
  answer: Readonly<Record<string, unknown>> | undefined;
  status: 200 | Rejection;
  grants: readonly Grant[];
}

const paths: Readonly<Record<string, AuthCall>> = {
  '/api/v1/auth/validate?include_claims=true': 'validate',
  '/api/v1/auth/authorize': 'authorize',
};

export async function startAuthService(): Promise<TestAuthService> {
  const tokens = new Map<string, Known>();
  const problems = new Map<AuthCall, AuthFailure>();
  const made: { readonly call: AuthCall; readonly token: string }[] = [];
  let understood: Parameters<TestAuthService['understand']>[0] = () => undefined;
  const held = new Set<() => void>();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => json(response, 400, { error: error.message }));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = request.method === 'POST' ? paths[request.url ?? ''] : undefined;
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const body = await text(request);
    if (call === undefined) return json(response, 404, { error: 'There is no such path.' });
    made.push({ call, token });
    const problem = problems.get(call);
    if (problem === 'hang') {
      await new Promise<void>((resolve) => {
        held.add(resolve);
        request.socket.once('close', resolve);
      });
    } else if (problem !== undefined) return await misbehave(problem, response);
    const known = tokens.get(token) ?? readable(token);
    if (known?.status !== 200) return json(response, known?.status ?? 401, { error: 'Not valid.' });
    if (call === 'validate') return json(response, 200, known.answer);
    json(response, 200, { allowed: known.grants.some((grant) => covers(grant, JSON.parse(body))) });
  }

  function readable(token: string): Known | undefined {
    if (token.split('.').length !== 3) return undefined;
    const claims = decodeJwt(token);
    const read = understood(claims.sub ?? '');
    return read && { answer: { claims }, status: 200, grants: read.grants };
  }

  function known(token: string): Known {
    const there = tokens.get(token) ?? { answer: {}, status: 200, grants: [] };
    tokens.set(token, there);
    return there;
  }

  const port = await freePort();
  const start = async () => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const stop = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    know: (token, answered) => void Object.assign(known(token), { answer: answered, status: 200 }),
    understand: (read) => {
      understood = read;
    },
    reject: (token, status = 401) => void Object.assign(known(token), { status }),
    allow: (token, ...grants) => void Object.assign(known(token), { grants }),
    fail(problem, ...calls) {
      for (const call of calls.length > 0 ? calls : (['validate', 'authorize'] as const)) {
        if (problem === undefined) problems.delete(call);
        else problems.set(call, problem);
      }
      for (const release of held) release();
      held.clear();
    },
    calls: (call, token) =>
      made.filter((one) => one.call === call && (token === undefined || one.token === token)).length,
    stop,
    start,
    [Symbol.asyncDispose]: stop,
  };
}

function covers(grant: Grant, asked: Grant): boolean {
  const { type, id } = grant.resource;
  const isThere = type === asked.resource?.type && (id === '*' || id === asked.resource.id);
  return isThere && grant.permission === asked.permission;
}

async function misbehave(problem: AuthFailure, response: ServerResponse): Promise<void> {
  if (problem === 'reset') return void response.socket?.resetAndDestroy();
  if (problem === 'malformed')
    return void response.setHeader('content-type', 'application/json').end('{"sub": ');
  if (problem !== 'huge') return json(response, Number(problem.slice(-3)), { error: 'Something failed.' });
  const megabyte = ' '.repeat(1_048_576);
  response.setHeader('content-type', 'application/json');
  for (let sent = 0; sent < 256 && !response.destroyed; sent += 1)
    if (!response.write(megabyte)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  response.end('{"sub": "ada"}');
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
