import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Configuration, Provider } from 'oidc-provider';

/** A page without foreign resources, for browsers that watch for foreign requests. */
export function providerPage(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,"></head><body><h1>${title}</h1>${body}</body></html>`;
}

/** The login page of a provider at `/interaction/{uid}`. Any name signs in; cancelling denies. */
export async function interaction(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { uid } = await provider.interactionDetails(request, response);
  if (request.method === 'POST') {
    const fields = new URLSearchParams(await text(request));
    const login = fields.get('login');
    const result = login
      ? { login: { accountId: login } }
      : { error: 'access_denied', error_description: 'The user has cancelled.' };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
    return;
  }
  const form = (content: string) => `<form method="post" action="/interaction/${uid}">${content}</form>`;
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(
    providerPage(
      'Sign in at the provider',
      form('<label>Account <input name="login" value="" autofocus></label><button>Sign in</button>') +
        form('<button>Cancel</button>'),
    ),
  );
}

type DeviceFlow = NonNullable<NonNullable<Configuration['features']>['deviceFlow']>;

/** The pages of the device flow, to enter and confirm the code. */
export const deviceFlow: DeviceFlow = {
  enabled: true,
  async userCodeInputSource(context, form, _out, error) {
    const problem = error ? `<p role="alert">${error.name}</p>` : '';
    context.body = providerPage(
      'Enter the code',
      `${problem}${form}<button form="op.deviceInputForm">Continue</button>`,
    );
  },
  async userCodeConfirmSource(context, form, _client, _info, code) {
    context.body = providerPage(
      'Confirm the device',
      `<p>${code}</p>${form}<button form="op.deviceConfirmForm">Continue</button><button form="op.deviceConfirmForm" name="abort" value="yes">Abort</button>`,
    );
  },
  async successSource(context) {
    context.body = providerPage('The device is signed in', '');
  },
};
