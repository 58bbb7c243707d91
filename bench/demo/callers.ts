import { type ApiClient, openClient } from '../../src/cli/client/api-client.ts';
import { Visitor } from '../access/visitor.ts';
import { type Login, people } from './people.ts';
import type { DemoProvider } from './provider.ts';

/** Those who fill the demo. */
export interface Callers {
  token(login: Login): Promise<string | null>;
  client(login: Login): Promise<ApiClient>;
  /** Sends a change to the control plane as its administrator. */
  administer(path: string, body: object): Promise<unknown>;
}

const json = { 'content-type': 'application/json' };

/** Without authentication, everybody is nobody. */
export function anonymousCallers(url: string): Callers {
  const client = openClient({ url, bearer: () => null });
  return {
    token: async () => null,
    client: async () => client,
    administer: async (path, body) =>
      await client.send('POST', path, { headers: json, body: () => JSON.stringify(body) }),
  };
}

/** The people of the provider. The administrator signs in by browser, as the control plane demands. */
export async function signedInCallers(url: string, provider: DemoProvider): Promise<Callers> {
  const browser = new Visitor();
  const { login } = people.ada;
  const page = await browser.open(`${url}/v1/auth/login?provider=idp`, {}, [provider.issuer]);
  const password = provider.passwords.get(login) ?? '';
  const back = await browser.submit(page.forms[0], { login, password });
  await browser.open(back.url);
  const csrf = browser.cookies(url).get('svc_csrf');
  if (!csrf) throw new Error(`The administrator of the demo cannot sign in: ${back.text}`);
  const headers = { ...json, 'x-csrf-token': csrf };
  return {
    token: provider.accessToken,
    async client(login) {
      const token = await provider.accessToken(login);
      return openClient({ url, bearer: () => token });
    },
    async administer(path, body) {
      const request = { method: 'POST', headers, body: JSON.stringify(body) };
      const answer = await browser.open(url + path, request);
      if (answer.status >= 400) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    },
  };
}
