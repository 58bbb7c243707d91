import { ServiceError } from '../domain/errors.ts';
import { parseIdentifier } from '../domain/integrity/identifiers/identifiers.ts';
import type { App } from '../platform/http/app.ts';
import { account } from '../ui/header.ts';
import { entryPage, lineagePage, type Subject } from '../ui/lineage-page.ts';
import { pageAnswer, pageFileAnswer } from './pages.ts';

const longestId = 2_000;

/** Whether a path is that of a page, to which other sites may link. */
export function isPage(path: string): boolean {
  return path === '/' || path === '/ui' || path === '/ui/lineage' || path.startsWith('/ui/lineage/');
}

export interface LineagePages {
  /** Whether people sign in by browser at the same address. */
  readonly besideAccounts: boolean;
}

/** The pages and their files. They hold no data, and do not tell whether a thing exists: the API does. */
export function uiRoutes(app: App, { besideAccounts }: LineagePages): void {
  const neighbour = besideAccounts ? account : undefined;
  for (const path of ['/', '/ui'] as const) {
    app.get(path, async (context) => {
      return context.redirect('/ui/lineage');
    });
  }

  app.get('/ui/lineage', async (context) => {
    const id = context.req.query('id')?.trim();
    if (id) return context.redirect(`/ui/lineage/${encodeURIComponent(id)}`, 303);
    return pageAnswer(context, await entryPage(neighbour));
  });

  app.get('/ui/lineage/:id', async (context) => {
    const subject = readSubject(context.req.param('id'));
    return pageAnswer(context, await lineagePage(subject, neighbour), 'problem' in subject ? 400 : 200);
  });

  app.get('/ui/files/:name{.+}', async (context) => {
    return await pageFileAnswer(context, context.req.param('name'));
  });
}

function readSubject(given: string): Subject {
  try {
    if (given.length <= longestId) return { id: parseIdentifier(given) };
    return { given: '', problem: `An identifier has at most ${longestId} characters.` };
  } catch (error) {
    if (error instanceof ServiceError) return { given, problem: error.message };
    throw error;
  }
}
