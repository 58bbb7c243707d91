import type { Context } from 'hono';
import { errorStatus } from '../contract/errors.ts';
import type { Principal } from '../domain/access/access.ts';
import { ServiceError } from '../domain/errors.ts';
import { scopeFor } from '../domain/integrity/access/statement-scope.ts';
import { parseCid } from '../domain/integrity/identifiers/cid.ts';
import { identifierIn, parseIdentifier, parseUuid } from '../domain/integrity/identifiers/identifiers.ts';
import { readStatement } from '../domain/integrity/statements/read-statement.ts';
import type { App } from '../platform/http/app.ts';
import type { AppEnv } from '../platform/http/app-env.ts';
import { type Link, searchAddress, start, verifierAddress } from '../ui/header.ts';
import { entryPage, lineagePage } from '../ui/lineage-page.ts';
import { logPage } from '../ui/statements/log-page.ts';
import { graphPage, startPage, statementPage } from '../ui/statements/pages.ts';
import { comparisonPage, runsPage } from '../ui/statements/runs-pages.ts';
import { searchPage } from '../ui/statements/search-page.ts';
import { problemPage } from '../ui/statements/shell.ts';
import { verifierPage } from '../ui/verifier/page.ts';
import { pageAnswer, pageFileAnswer, standaloneAnswer } from './pages.ts';
import { pageOfSearch, type SearchedPorts } from './searched-page.ts';

type PageContext = Context<AppEnv<Principal>>;

const longestSearch = 2_000;

/** Whether a path is a page. Other sites may link to pages. */
export function isPage(path: string): boolean {
  return path === '/' || path === '/ui' || (path.startsWith('/ui/') && !path.startsWith('/ui/files/'));
}

interface IntegrityPages extends SearchedPorts {
  /** The pages at the same address. */
  readonly links: readonly Link[];
}

/** The pages and their files. They hold no data: their scripts ask the API. */
export function uiRoutes(app: App, { links, ...ports }: IntegrityPages): void {
  app.get('/', (context) => context.redirect('/ui'));
  statementPages(app, ports, links);

  app.get('/ui/log', async (context) => pageAnswer(context, await logPage(links)));

  app.get(verifierAddress, async (context) => standaloneAnswer(context, await verifierPage()));

  app.get('/ui/lineage', async (context) => {
    const id = context.req.query('id')?.trim();
    if (!id) return pageAnswer(context, await entryPage({ links }));
    const page = identifierIn(id) === undefined ? searchFor(id) : `/ui/lineage/${encodeURIComponent(id)}`;
    return context.redirect(page, 303);
  });

  app.get('/ui/lineage/:id', async (context) => {
    const given = context.req.param('id');
    if (given.length > longestSearch) {
      const problem = `An identifier has at most ${longestSearch} characters.`;
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

/** The start page, and the pages of graphs and statements. Their scripts ask the API for everything that they show. */
function statementPages(app: App, ports: SearchedPorts, links: readonly Link[]): void {
  app.get('/ui', async (context) => {
    const { q = '', type = '', by = '', error } = context.req.query();
    // A failed sign-in comes back here, also where another process has the page that explains it.
    if (error !== undefined) return context.redirect(`/ui/sign-in?${new URLSearchParams({ error })}`);
    const given = { q: q.trim(), type: type.trim(), by: by.trim() };
    if (Object.values(given).some(({ length }) => length > longestSearch)) {
      const problem = `A search has at most ${longestSearch} characters.`;
      const search = { q: '', type: '', by: '' };
      return pageAnswer(context, await startPage({ search, problem, links }), 400);
    }
    if (Object.values(given).every((text) => text === '')) return pageAnswer(context, await runsPage(links));
    const page = await pageOfSearch(ports, given.q, () => readerOf(context));
    if (page !== undefined) return context.redirect(page, 303);
    if (given.type === '' && given.by === '') return context.redirect(searchFor(given.q), 303);
    return pageAnswer(context, await startPage({ search: given, links }));
  });

  app.get(searchAddress, async (context) => {
    const q = (context.req.query('q') ?? '').trim();
    if (q.length <= longestSearch) return pageAnswer(context, await searchPage(q, links));
    const problem = `A search has at most ${longestSearch} characters, and this one has ${q.length}.`;
    return pageAnswer(context, await searchPage('', links, problem), 400);
  });

  for (const path of ['/ui/graph', '/ui/runs', '/ui/statement'])
    app.get(path, (context) => context.redirect('/ui'));

  app.get('/ui/statements', async (context) => {
    const search = { q: '', type: '', by: '' };
    return pageAnswer(context, await startPage({ search, links }));
  });

  app.get('/ui/runs/compare', async (context) => {
    const { a = '', b = '' } = context.req.query();
    // The start page is where two runs are chosen.
    if (a === '' && b === '') return context.redirect('/ui');
    return await pageOr(context, links, { title: 'Two runs', given: '' }, async () =>
      comparisonPage(parseCid(a.trim()).text, parseCid(b.trim()).text, links),
    );
  });

  app.get('/ui/graph/:uuid', async (context) => {
    const given = context.req.param('uuid');
    return await pageOr(context, links, { title: 'Graph', given }, async () => {
      const id = parseUuid(given, 'The graph id');
      await asReader(context, async (reader) => await scopeFor(ports.graphs, reader, id));
      return await graphPage(id, links);
    });
  });

  app.get('/ui/statement/:id', async (context) => {
    const given = context.req.param('id');
    return await pageOr(context, links, { title: 'Statement', given }, async () => {
      const { text } = parseCid(given);
      await asReader(context, async ({ grants }) => await readStatement(ports, grants, text, undefined));
      return await statementPage(text, links);
    });
  });
}

function searchFor(q: string): string {
  return `${searchAddress}?${new URLSearchParams({ q })}`;
}

/** The reader of a page; undefined if the page was requested without a valid token. */
async function readerOf(context: PageContext): Promise<Principal | undefined> {
  try {
    return await context.get('caller')();
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** Looks something up before its page is answered. Without a reader nothing is looked up, and the script says why. */
async function asReader(context: PageContext, look: (reader: Principal) => Promise<unknown>): Promise<void> {
  const reader = await readerOf(context);
  if (reader) await look(reader);
}

/** A page, or the page that explains why there is none. */
async function pageOr(
  context: PageContext,
  links: readonly Link[],
  { title, given }: { readonly title: string; readonly given: string },
  make: () => Promise<string>,
): Promise<Response> {
  try {
    if (given.length > longestSearch)
      throw new ServiceError('invalid_request', `An identifier has at most ${longestSearch} characters.`);
    return pageAnswer(context, await make());
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const shown = given.slice(0, longestSearch);
    const advice =
      error.code === 'not_found'
        ? 'It may be stored elsewhere, or you may not see it. Search for something else:'
        : 'Search by a name or another identifier:';
    const page = await problemPage({ title, here: start, links, given: shown }, error.message, advice);
    return pageAnswer(context, page, errorStatus[error.code] as 404);
  }
}
