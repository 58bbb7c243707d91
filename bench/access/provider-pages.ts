import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Configuration, Provider } from 'oidc-provider';

const style =
  ':root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:24rem;margin:4rem auto;padding:0 1rem}form{display:grid;gap:1rem;margin:1rem 0}label{display:grid;gap:.25rem}input,button{font:inherit;padding:.5rem}[role=alert]{font-weight:600}';

/** A page without foreign resources, for browsers that watch for foreign requests. */
export function providerPage(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><link rel="icon" href="data:,"><style>${style}</style></head><body><h1>${title}</h1>${body}</body></html>`;
}

/** How a provider learns who signs in. */
export interface LoginForm {
  /** The fields of the form, as HTML. */
  readonly fields: string;
  /** The account that filled in the form; undefined if it is no account. */
  accountOf(fields: URLSearchParams): string | undefined;
}

/** Answers a request to a provider. Its login page is at `/interaction/{uid}`; cancelling there denies. */
export async function answer(
  provider: Provider,
  login: LoginForm,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!request.url?.startsWith('/interaction/')) return void provider.callback()(request, response);
  try {
    await interaction(provider, login, request, response);
  } catch (error) {
    response.writeHead(400).end(`There is no such login: ${(error as Error).message}.`);
  }
}

async function interaction(
  provider: Provider,
  login: LoginForm,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { uid } = await provider.interactionDetails(request, response);
  const isSent = request.method === 'POST';
  const fields = new URLSearchParams(isSent ? await text(request) : '');
  const accountId = isSent ? login.accountOf(fields) : undefined;
  const isCancelled = isSent && fields.size === 0;
  if (accountId !== undefined || isCancelled) {
    const result = accountId
      ? { login: { accountId } }
      : { error: 'access_denied', error_description: 'The user has cancelled.' };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
    return;
  }
  const form = (content: string) => `<form method="post" action="/interaction/${uid}">${content}</form>`;
  const problem = isSent ? '<p role="alert">There is no such account with that password.</p>' : '';
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(
    providerPage(
      'Sign in at the provider',
      problem + form(`${login.fields}<button>Sign in</button>`) + form('<button>Cancel</button>'),
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
