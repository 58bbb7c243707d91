import { expect } from 'vitest';

const host = 'http://127.0.0.1:3050';

type Get = (path: string) => Promise<Response> | Response;

/** The paths that a page links to, loads, or sends a form to. */
function linksIn(html: string): string[] {
  const found = html.matchAll(/\s(?:href|src|action)="([^"]*)"/g);
  return [...found].map(([, address = '']) => {
    const { origin, pathname, search } = new URL(address.replaceAll('&amp;', '&'), host);
    expect(origin, address).toBe(host);
    return pathname + search;
  });
}

/** Pages whose scripts contain texts that look like links. */
const foreignPages = new Set(['/docs', '/ui/verify']);

/** Follows all links of all pages from some. @returns the status of each path. */
export async function walk(get: Get, starts: readonly string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const queue = new Set(starts);
  for (const path of queue) {
    const answer = await get(path);
    found.set(path, answer.status);
    const location = answer.headers.get('location');
    if (location !== null) queue.add(linksIn(` href="${location}"`)[0] ?? '');
    const isHtml = answer.headers.get('content-type')?.startsWith('text/html');
    const isPage = isHtml && !foreignPages.has(path);
    for (const next of isPage ? linksIn(await answer.text()) : []) queue.add(next);
    await answer.body?.cancel().catch(() => undefined);
  }
  return found;
}
