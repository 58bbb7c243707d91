import { ServiceError } from '../domain/errors.ts';
import { parseIdentifier } from '../domain/integrity/identifiers/identifiers.ts';
import type { App } from '../platform/http/app.ts';
import type { Link } from '../ui/header.ts';
import { entryPage, lineagePage } from '../ui/lineage-page.ts';
import { pageAnswer, pageFileAnswer } from './pages.ts';
import type { SearchedPorts } from './searched-page.ts';
import { statementPages } from './statement-pages.ts';

const longestId = 2_000;

/** Whether a path is a page. Other sites may link to pages. */
export function isPage(path: string): boolean {
  const folders = ['/ui/lineage', '/ui/graph', '/ui/statement'];
  return path === '/' || path === '/ui' || folders.some((one) => path === one || path.startsWith(`${one}/`));
}

export interface IntegrityPages extends SearchedPorts {
  /** The pages at the same address. */
  readonly links: readonly Link[];
}

/** The pages and their files. They hold no data: their scripts ask the API. */
export function uiRoutes(app: App, { links, ...ports }: IntegrityPages): void {
  app.get('/', (context) => context.redirect('/ui'));
  statementPages(app, ports, links);

  app.get('/ui/lineage', async (context) => {
    const id = context.req.query('id')?.trim();
    if (id) return context.redirect(`/ui/lineage/${encodeURIComponent(id)}`, 303);
    return pageAnswer(context, await entryPage({ links }));
  });

  app.get('/ui/lineage/:id', async (context) => {
    const given = context.req.param('id');
    if (given.length > longestId) {
      const problem = `An identifier has at most ${longestId} characters.`;
      return pageAnswer(context, await entryPage({ problem, links }), 400);
    }
    try {
      return pageAnswer(context, await lineagePage(parseIdentifier(given), links));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return pageAnswer(context, await entryPage({ given, problem: error.message, links }), 400);
    }
  });

  app.get('/ui/files/:name{.+}', (context) => pageFileAnswer(context, context.req.param('name')));
}
