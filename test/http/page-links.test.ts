import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openServices, type Services } from '../../src/composition/services.ts';
import type { ServedService } from '../../src/platform/settings/setting-table.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { walk } from './page-walk.ts';
import { newServiceStore } from './service-store.ts';

const host = 'http://127.0.0.1:3050';
const graph = '8f0f5d0e-6a57-4c39-9a35-0c6f0d0c7a10';
const did = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';

async function ask({ fetch }: Services, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { host: '127.0.0.1:3050', 'content-type': 'application/json' };
  return await fetch(new Request(`${host}${path}`, { ...init, headers }));
}

const compositions: [string, ServedService[], string[]][] = [
  [
    'both services',
    ['integrity', 'control-plane'],
    ['/ui', '/ui/lineage', '/ui/agents', '/ui/health', '/docs'],
  ],
  ['the control plane alone', ['control-plane'], ['/ui', '/ui/agents', '/docs']],
];

test.each(compositions)(
  'every link of the pages of %s leads somewhere, and other addresses to a page that says so',
  async (_name, services, expected) => {
    await using store = await newServiceStore();
    const settings = readSettings({
      ...store.environment,
      CAIRN_WORKERS: '1',
      CONTROL_PLANE_AUTH_ENABLED: 'false',
    });
    await using opened = await openServices(settings, pino({ level: 'silent' }), services, {
      worksOnJobs: false,
    });
    const starts = ['/'];
    if (services.includes('integrity')) {
      await ask(opened, '/graph/v1', {
        method: 'PUT',
        body: JSON.stringify({ graph_id: graph, name: 'Graph' }),
      });
      const answer = await ask(opened, `/statements/v1/create/did/${did}?graph_id=${graph}`, {
        method: 'PUT',
      });
      const { rdfc_cid: id } = (await answer.json()) as { rdfc_cid: string };
      starts.push(`/ui/graph/${graph}`, `/ui/statement/${id}`, `/ui/lineage/${id}`, `/ui?q=name`);
    }
    const found = await walk((path) => ask(opened, path), starts);
    expect([...found].filter(([, status]) => status >= 400)).toEqual([]);
    expect([...found.keys()]).toEqual(expect.arrayContaining(expected));
    const markup = encodeURIComponent('<script>alert(1)</script>');
    for (const path of ['/ui/nowhere', '/ui/agents/a/b/c', `/ui/${markup}`]) {
      const page = await ask(opened, path);
      expect([path, page.status]).toEqual([path, 404]);
      const text = await page.text();
      expect(text).toContain('There is no such page');
      expect(text).not.toContain('<script>');
    }
  },
);
