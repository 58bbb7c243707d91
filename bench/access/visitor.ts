/** A page as text. */
export interface Visited {
  /** The address after all redirects. */
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Its forms with their current fields. */
  readonly forms: readonly Form[];
}

export interface Form {
  readonly action: URL;
  readonly method: string;
  readonly fields: Readonly<Record<string, string>>;
}

type Fetch = (url: string, init: RequestInit) => Promise<Response> | Response;

/** Follows links and redirects, fills in forms and keeps cookies, like a browser without scripts. */
export class Visitor {
  /** By origin, then by path and name. */
  readonly #cookies = new Map<string, Map<string, { path: string; name: string; value: string }>>();
  readonly #fetch: Fetch;

  constructor(fetcher: Fetch = fetch) {
    this.#fetch = fetcher;
  }

  /**
   * Opens an address and follows redirects within its origin and the given origins. A redirect to another origin ends the
   * visit with that address and the status 302 or 303.
   */
  async open(
    address: string | URL,
    init: RequestInit = {},
    follow: readonly string[] = [],
  ): Promise<Visited> {
    const origins = new Set([new URL(address).origin, ...follow]);
    let url = new URL(address);
    let request = init;
    for (let redirects = 0; redirects < 20; redirects += 1) {
      const response = await this.#send(url, request);
      const location = response.headers.get('location');
      const target = location === null ? undefined : new URL(location, url);
      if (target === undefined || !origins.has(target.origin)) return await visited(target ?? url, response);
      await response.body?.cancel();
      url = target;
      request = {};
    }
    throw new Error(`${address} leads from redirect to redirect.`);
  }

  /** Sends a form with the given values. */
  async submit(form: Form | undefined, fields: Readonly<Record<string, string>> = {}): Promise<Visited> {
    if (!form) throw new Error('The page has no such form.');
    const filled = new URLSearchParams({ ...form.fields, ...fields });
    if (form.method === 'get')
      return await this.open(`${form.action.origin}${form.action.pathname}?${filled}`);
    return await this.open(form.action, { method: 'POST', body: filled });
  }

  /** The cookies for an address. */
  cookies(address: string | URL): ReadonlyMap<string, string> {
    const { origin, pathname } = new URL(address);
    const held = [...(this.#cookies.get(origin)?.values() ?? [])];
    return new Map(
      held.filter(({ path }) => pathname.startsWith(path)).map(({ name, value }) => [name, value]),
    );
  }

  async #send(url: URL, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    const cookies = [...this.cookies(url)].map(([name, value]) => `${name}=${value}`).join('; ');
    if (cookies) headers.set('cookie', cookies);
    const response = await this.#fetch(url.href, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.#keep(url, line);
    return response;
  }

  #keep(url: URL, line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
    const attribute = (wanted: string) =>
      attributes.find((given) => given.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
    const path = attribute('path') ?? '/';
    const expires = attribute('expires');
    const isGone =
      attribute('max-age') === '0' || (expires !== undefined && Date.parse(expires) <= Date.now());
    const jar = this.#cookies.get(url.origin) ?? new Map();
    this.#cookies.set(url.origin, jar);
    if (isGone || value === '') jar.delete(`${path} ${name}`);
    else jar.set(`${path} ${name}`, { path, name, value });
  }
}

async function visited(url: URL, response: Response): Promise<Visited> {
  const text = await response.text();
  const { status, headers } = response;
  const isPage = headers.get('content-type')?.includes('html') ?? false;
  return { url, status, headers, text, forms: isPage ? formsOf(text, url) : [] };
}

function formsOf(page: string, url: URL): Form[] {
  return [...page.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, opening = '', content = '']) => ({
    action: new URL(attributeOf(opening, 'action') ?? '', url),
    method: (attributeOf(opening, 'method') ?? 'get').toLowerCase(),
    fields: Object.fromEntries(
      [...content.matchAll(/<input\b([^>]*)>/gs)].flatMap(([, input = '']) => {
        const name = attributeOf(input, 'name');
        return name === undefined ? [] : [[name, attributeOf(input, 'value') ?? '']];
      }),
    ),
  }));
}

function attributeOf(tag: string, name: string): string | undefined {
  return new RegExp(`\\b${name}="([^"]*)"`)
    .exec(tag)?.[1]
    ?.replaceAll('&amp;', '&')
    .replaceAll('&quot;', '"');
}
