import { readFile } from 'node:fs/promises';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { openSharedRateLimits } from '../../src/composition/shared.ts';
import { openControlPlane } from '../../src/control-plane.ts';
import { listen } from '../../src/platform/http/server.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { openStore } from '../../src/storage/open.ts';
import { seed } from '../http/control-plane/projects/seeded.ts';
import { newServiceStore } from '../http/service-store.ts';
import { describeChromium } from './chromium.ts';

describeChromium('a stored body', ({ open }) => {
  it('is downloaded and does not run, although it is HTML', async () => {
    await using opened = new AsyncDisposableStack();
    const { environment } = opened.use(await newServiceStore());
    const settings = readSettings({ ...environment });
    const store = opened.use(await openStore(settings, () => undefined));
    const log = pino({ level: 'silent' });
    const rateLimits = opened.use(await openSharedRateLimits(settings, log));
    const { app } = opened.use(await openControlPlane({ store, rateLimits }, settings, log));
    let hasRun = false;
    app.use('/ran', async (context) => {
      hasRun = true;
      return context.text('ran');
    });
    const server = await listen({ fetch: app.fetch, host: '127.0.0.1', port: 0 });
    opened.defer(() => server.stop(0));
    const text = '<!doctype html><script>fetch("/ran")</script><img src="/ran">';
    const { paths } = await seed(store, null, { request: { text, contentType: 'text/html' } });
    const path =
      paths['GET /v1/projects/{project_uuid}/agents/{agent_id}/audit-exchanges/{exchange_key}/request-body'];
    await using tab = await open({ acceptDownloads: true });
    const [download] = await Promise.all([
      tab.page.waitForEvent('download'),
      // The navigation ends as a download.
      tab.page.goto(`${server.url}${path}`).catch(() => undefined),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toBe(text);
    expect([tab.page.url(), hasRun]).toEqual(['about:blank', false]);
  });
});
