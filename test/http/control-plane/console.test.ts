import { beforeAll, describe, expect, test } from 'vitest';
import { agentStatusEvents } from '../../../src/domain/control-plane/agents/agents.ts';
import { auditExchanges } from '../../../src/domain/control-plane/gateway/runtime-records.ts';
import { startAuthService } from '../../access/auth-service.ts';
import { exchange, urnOf } from '../../builders/runtime-records.ts';
import { auditRecord } from '../../contract/audit-records.ts';
import { nounsOf, usersOf } from '../../contract/nouns.ts';
import { type Replica, usePlane } from './plane.ts';
import { noon, type Seeded, seed } from './projects/seeded.ts';

const plane = usePlane();
const pages = ['/ui/agents', '/ui/tokens', '/ui/audit-log', '/ui/health'];
let operated: Seeded;
let bound: Seeded;

beforeAll(async () => {
  operated = await seed(plane.store, 'operator');
  bound = await seed(plane.store, 'console');
});

async function session(subject: string, role: 'admin' | 'member', replica = plane.main) {
  const browser = replica.browser();
  await browser.signIn(subject);
  const user = await usersOf(plane.store).bySubject(plane.provider.issuer, subject);
  await usersOf(plane.store).change(user?.id ?? '', { role }, Date.now());
  return browser.headers();
}

const exchangeOf = ({ project, agentId, exchange }: Seeded) =>
  `/ui/agents/${agentId}/projects/${project}/exchanges/${exchange.exchangeKey}`;

/** A record about a project in the audit log. */
async function putRecord({ provider: { issuer }, store }: ReturnType<typeof usePlane>, target: string) {
  const actor = { issuer, subject: 'ada', means: 'session' };
  await nounsOf(store).auditLog.put([auditRecord({ at: Date.now(), actor, target })]);
}

describe('a page of the console', () => {
  test.each(pages)('%s leads those who are not signed in to the sign-in page, and back', async (path) => {
    const { status, text, headers } = await plane.main.send('GET', path);
    expect([status, headers.get('cache-control')]).toEqual([302, 'no-store']);
    expect(headers.get('location')).toBe(`/ui/sign-in?return_to=${encodeURIComponent(path)}`);
    expect(text).toBe('');
  });

  test('loads only files of this service, and has no inline code or style', async () => {
    const headers = await session('ada', 'admin');
    for (const path of [...pages, `/ui/agents/${operated.agentId}`, exchangeOf(operated)]) {
      const page = await plane.main.send('GET', path, headers);
      expect([path, page.status]).toEqual([path, 200]);
      expect(page.headers.get('content-security-policy')).toContain("script-src 'self'; style-src 'self'");
      expect(page.text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
    }
  });

  test('names people and projects that administrators operate, and no project of the governance console', async () => {
    const headers = await session('ada', 'admin');
    const ada = await usersOf(plane.store).bySubject(plane.provider.issuer, 'ada');
    const name = (text: string) => ({ nameOverride: `${text} <b>${'x'.repeat(10_000)}` });
    await usersOf(plane.store).change(ada?.id ?? '', name('Countess'), Date.now());
    for (const { project } of [operated, bound]) {
      const graph = { graphId: project, name: `Loans of ${project} <i>`, parentId: null, projectId: project };
      await plane.store.graphs.add(graph);
      await putRecord(plane, project);
    }
    const log = (await plane.main.send('GET', '/ui/audit-log', headers)).text;
    expect(log).toMatch(/<bdi>Countess &lt;b&gt;x{188}<\/bdi> <code class="quiet">ada<\/code>/);
    expect(log).toContain(`<bdi>Loans of ${operated.project} &lt;i&gt;</bdi>`);
    expect(log).toContain(bound.project);
    expect(log).not.toContain(`Loans of ${bound.project}`);
    const { text } = await plane.main.send('GET', exchangeOf(operated), headers);
    expect(text).toContain(`<bdi>Loans of ${operated.project} &lt;i&gt;</bdi>`);
  });

  test('escapes what callers search for', async () => {
    const headers = await session('ada', 'admin');
    const markup = encodeURIComponent('"><script>alert(1)</script>');
    for (const path of [`/ui/agents?q=${markup}`, `/ui/audit-log?actor=${markup}`, `/ui/agents/${markup}`]) {
      const { text } = await plane.main.send('GET', path, headers);
      expect(text).not.toContain('<script>alert');
    }
  });

  test('explains a cursor of another list, an unknown agent and a page for administrators', async () => {
    const [admin, member] = [await session('ada', 'admin'), await session('bob', 'member')];
    const status = async (path: string, headers: Record<string, string>) =>
      (await plane.main.send('GET', path, headers)).status;
    expect(await status('/ui/agents?cursor=nonsense', admin)).toBe(400);
    expect(
      await status(`/ui/agents/${operated.agentId}?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z`, admin),
    ).toBe(400);
    expect(await status('/ui/agents/nobody', admin)).toBe(404);
    expect(await status('/ui/audit-log', member)).toBe(403);
  });

  test('links to the audit log for administrators only', async () => {
    const [admin, member] = [await session('ada', 'admin'), await session('bob', 'member')];
    const linksTo = async (path: string, headers?: Record<string, string>) =>
      (await plane.main.send('GET', path, headers)).text.match(/(?<=<a )href="\/ui\/audit-log".*?(?=>)/g);
    for (const path of ['/ui/agents', '/docs']) {
      expect([path, await linksTo(path, admin)]).toEqual([path, ['href="/ui/audit-log"']]);
      expect([path, await linksTo(path, member)]).toEqual([path, null]);
    }
    expect(await linksTo('/ui/audit-log', admin)).toContain('href="/ui/audit-log" aria-current="page"');
    expect(await linksTo('/ui/sign-in')).toBeNull();
  });
});

describe('the audit log', () => {
  test('is narrowed by day and by e-mail', async () => {
    plane.provider.setAccount('eve', { email: 'eve@example.com', email_verified: true });
    const headers = await session('eve', 'admin');
    const shown = async (query: object) =>
      (await plane.main.send('GET', `/ui/audit-log?${new URLSearchParams({ ...query })}`, headers)).text;
    const day = new Date().toISOString().slice(0, 10);
    expect(await shown({ from: day, to: day })).toContain('data-label="By"');
    expect(await shown({ from: '2020-01-01', to: '2020-01-02' })).toContain('No record matches');
    expect(await shown({ from: 'yesterday' })).toContain('“yesterday” is no day');
    expect(await shown({ actor: 'Eve@example.com' })).toContain('title="eve at');
    expect(await shown({ actor: 'nobody@example.com' })).toContain('No record matches');
  });
});

describe('what an agent did', () => {
  test('is shown to administrators, for projects of the operator', async () => {
    const headers = await session('ada', 'admin');
    const span = 'from=2026-01-31T00:00:00Z&to=2026-02-01T00:00:00Z';
    const page = await plane.main.send('GET', `/ui/agents/${operated.agentId}?${span}`, headers);
    expect(page.text).toContain(operated.project);
    expect(page.text).toContain(exchangeOf(operated));
    const { text } = await plane.main.send('GET', exchangeOf(operated), headers);
    for (const part of [operated.stateCid, operated.childCid, 'tool_call']) expect(text).toContain(part);
    const other = exchangeOf({ ...operated, exchange: bound.exchange });
    expect((await plane.main.send('GET', other, headers)).status).toBe(404);
  });

  test('is listed page by page, beside the pages of status events', async () => {
    const { agentId, project } = await seed(plane.store, 'operator');
    const projectUrn = urnOf(project);
    const now = Date.now();
    const more = Array.from({ length: 30 }, (_, at) =>
      exchange({ agentId, projectUrn, occurredAt: now - 60_000 + at }),
    );
    await plane.store.of(auditExchanges).insert(more);
    const headers = await session('ada', 'admin');
    const actor = { issuer: 'https://idp.example', subject: 'ada' };
    const events = Array.from({ length: 12 }, (_, at) => ({
      id: `${agentId}:${at + 2}`,
      agentId,
      version: at + 2,
      event: 'revoked' as const,
      actor,
      reason: null,
      at: noon,
      isLogged: false,
    }));
    await plane.store.of(agentStatusEvents).insert(events);
    const { text } = await plane.main.send('GET', `/ui/agents/${agentId}`, headers);
    const count = (page: string, part: RegExp) => [...page.matchAll(part)].length;
    const exchanges = /<a href="[^"]+\/exchanges\/[\w-]+">/g;
    const changes = /<th scope="row">(?:revoked|registered)</g;
    expect([count(text, exchanges), count(text, changes)]).toEqual([25, 10]);
    const next = [...text.matchAll(/href="([^"]+cursor=[^"]+)"/g)].map(([, href = '']) =>
      href.replaceAll('&amp;', '&'),
    );
    const pages = await Promise.all(next.map((path) => plane.main.send('GET', path, headers)));
    expect(pages.map(({ status }) => status)).toEqual([200, 200]);
    // The link to the next exchanges comes first on the page.
    expect(pages.map((page) => count(page.text, changes))).toEqual([10, 3]);
    expect(count(pages[0]?.text ?? '', exchanges)).toBe(5);
  });

  test('is not shown to members', async () => {
    const headers = await session('bob', 'member');
    for (const path of [`/ui/agents/${operated.agentId}`, exchangeOf(operated)]) {
      const { status, text } = await plane.main.send('GET', path, headers);
      expect([path, status]).toEqual([path, 404]);
      expect(text).not.toContain(operated.stateCid);
    }
  });

  test('in a project of the governance console is not shown to sessions', async () => {
    await using authService = await startAuthService();
    const asking: Replica = await plane.replica({
      CONTROL_PLANE_ADAPTER_AUTH_SERVICE_BASE_URL: authService.url,
    });
    for (const [replica, refused] of [
      [asking, 401],
      [plane.main, 503],
    ] as const) {
      const headers = await session('ada', 'admin', replica);
      const { text } = await replica.send('GET', `/ui/agents/${bound.agentId}`, headers);
      expect(text).toContain('It is a member of 1 project of the governance console.');
      expect(text).not.toContain(bound.project);
      const exchange = await replica.send('GET', exchangeOf(bound), headers);
      expect([exchange.status, exchange.text.includes(bound.stateCid)]).toEqual([refused, false]);
    }
    expect(authService.calls('authorize')).toBe(0);
  });
});

describe('without authentication', () => {
  test('the pages show everything, except to links on other sites', async () => {
    const open = await plane.replica({
      CONTROL_PLANE_AUTH_ENABLED: 'false',
      CONTROL_PLANE_AUTH_IDP_ENABLED: 'false',
      CONTROL_PLANE_AUTH_BEARER_ENABLED: 'false',
      CAIRN_ALLOW_UNAUTHENTICATED: 'true',
    });
    const { text } = await open.send('GET', '/ui/agents');
    expect(text).toContain(operated.agentId);
    const followed = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    for (const path of [...pages, `/ui/agents/${operated.agentId}`])
      expect([path, (await open.send('GET', path, followed)).status]).toEqual([path, 403]);
    expect((await open.send('GET', '/ui/tokens')).text).toContain('Authentication is disabled');
  });
});
