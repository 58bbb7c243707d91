import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { ServiceError } from '../domain/errors.ts';
import type { App } from '../platform/http/app.ts';
import { pageFile } from '../ui/files.ts';
import { type Link, withPerson } from '../ui/header.ts';
import { notFoundPage } from '../ui/not-found-page.ts';
import { filePolicy, pagePolicy } from '../ui/page.ts';
import { isNotModified } from './byte-answer.ts';

export { type Link, linksTo } from '../ui/header.ts';

const cautions = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

/** A page, which names the user who is signed in. It may load only files of this service, and other pages cannot embed it. */
export function pageAnswer(context: Context, page: string, status: ContentfulStatusCode = 200): Response {
  return context.html(withPerson(page, context.get('person')), status, {
    ...cautions,
    'content-security-policy': pagePolicy,
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-cache',
  }) as Response;
}

/** A page that contains its own scripts, styles and policy, which are the same for everybody. */
export function standaloneAnswer(context: Context, page: string): Response {
  return context.html(page, 200, {
    ...cautions,
    'content-security-policy': "frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-cache',
  }) as Response;
}

/** Answers addresses below `/ui` that no page has. It comes after all pages. */
export function noSuchPage<Caller>(app: App<Caller>, links: readonly Link[]): void {
  app.get('/ui/*', async (context) => pageAnswer(context, await notFoundPage(context.req.path, links), 404));
}

/** A script, style or image of the pages. @throws ServiceError `not_found`. */
export async function pageFileAnswer(context: Context, name: string): Promise<Response> {
  const file = await pageFile(name);
  if (!file) throw new ServiceError('not_found', 'The pages have no such file.');
  const headers = {
    ...cautions,
    'content-security-policy': filePolicy,
    'content-type': file.type,
    'cache-control': 'no-cache',
    etag: file.etag,
  };
  if (isNotModified(context, file.etag)) return context.body(null, 304, headers);
  return context.body(file.body, 200, headers);
}
