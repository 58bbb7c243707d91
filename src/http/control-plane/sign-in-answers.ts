import type { Context } from 'hono';
import type { KnownCaller } from '../../domain/control-plane/known-caller.ts';
import { note } from '../../platform/audit-trail/entry.ts';
import type { AppEnv } from '../../platform/http/app-env.ts';
import { SignInFailure } from '../../platform/sign-in/sign-in-failure.ts';

/** A browser shows a page, so that it goes to one which says what went wrong. */
export async function answerFailures(
  context: Context<AppEnv<KnownCaller>>,
  uiBaseUrl: string,
  answer: () => Promise<Response>,
): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof SignInFailure)) throw error;
    context.get('log').warn({ fault: error.problem, reason: error.reason }, 'A sign-in has failed.');
    note(context, { refusal: error.code, details: { fault: error.problem } });
    if (wantsJsonAlone(context)) throw error;
    const page = new URL(uiBaseUrl);
    page.searchParams.set('error', error.problem);
    return context.redirect(page.href);
  }
}

function wantsJsonAlone(context: Context): boolean {
  const accepted = context.req.header('accept') ?? '';
  return accepted.includes('json') && !/html|\*\/\*/.test(accepted);
}
