/** A request without a usable answer. The message is a sentence for the reader. */
export class Failure extends Error {
  /** Of the answer; 0 if there was none. */
  readonly status: number;

  constructor(message: string, status: number, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

/** @typeParam Answer a type of the contract. */
export async function askJson<Answer>(address: string, init?: RequestInit): Promise<Answer> {
  return await (await ask(address, init)).json();
}

/** Proves that a page of this site sends a request: pages of other sites cannot read the cookie. */
const csrfToken = () => /(?:^|; )svc_csrf=([^;]*)/.exec(document.cookie)?.[1];

/** Of the user for whom the page was made. */
const ownToken = csrfToken();

/** Whether another tab has signed out, or signed in as somebody else, since the page was made. */
export function isOfAnotherUser(): boolean {
  return csrfToken() !== ownToken;
}

/**
 * Asks the service with the session of the reader. If the session has ended, the browser leaves for the sign-in page.
 * @throws Failure unless the service answers with success.
 */
export async function ask(address: string, init?: RequestInit): Promise<Response> {
  if (isOfAnotherUser()) return await left(location.href);
  const headers = new Headers(init?.headers);
  if (ownToken && (init?.method ?? 'GET') !== 'GET') headers.set('x-csrf-token', ownToken);
  const response = await fetch(address, { ...init, headers }).catch((cause) => {
    if (init?.signal?.aborted) throw cause;
    throw new Failure('The service does not answer. Is it running, and is the network there?', 0, cause);
  });
  if (response.redirected && new URL(response.url).pathname === signInPage) return await left(response.url);
  if (response.ok) return response;
  if (response.status === 401 && document.querySelector('header .person')) {
    const { pathname, search, hash } = location;
    return await left(`${signInPage}?${new URLSearchParams({ return_to: pathname + search + hash })}`);
  }
  const { error } = await response.json().catch(() => ({}));
  throw new Failure(error ?? `The service answered ${response.status}.`, response.status);
}

const signInPage = '/ui/sign-in';

/** Where the browser goes if the reader is signing out. */
let exit: string | undefined;

/** Whatever notices first that the session has ended, the browser then goes to this address. @param address undefined if nobody signs out. */
export function leaveBy(address: string | undefined): void {
  exit = address;
}

/** Leaves the page for the exit of a sign-out, else for another address, which may be its own. */
export function leaveFor(address: string): void {
  if (exit === undefined && address === location.href) location.reload();
  else location.assign(exit ?? address);
}

/** Never resolves, because the browser leaves the page. */
async function left(address: string): Promise<never> {
  leaveFor(address);
  return await new Promise(() => undefined);
}

export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
