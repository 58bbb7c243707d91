import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseVkey } from '../../src/domain/log/notes/vkey.ts';
import { listen } from '../../src/platform/http/server.ts';
import { blobUrn, ownStatement } from '../builders/statements.ts';
import { testWitness } from '../builders/test-witness.ts';
import { send, useServer, useService } from '../http/service.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { describeChromium } from './chromium.ts';

describeChromium('pages that say what the log has', ({ open }) => {
  const service = useService();
  const server = useServer(service);

  it('say that a statement is not in the log yet, and then which witness has confirmed it', async () => {
    using folder = temporaryFolder();
    const key = (await (await service.app.request('/log/v1/key')).text()).trim();
    const witness = testWitness('w1', parseVkey(key));
    let isAwake = false;
    const asleep = () => new Response('asleep', { status: 503 });
    await using stack = new AsyncDisposableStack();
    const witnessServer = await listen({
      fetch: (request) => (isAwake ? witness.answer(request) : asleep()),
      host: '127.0.0.1',
      port: 0,
    });
    stack.defer(() => witnessServer.stop(0));
    const policy = join(folder.path, 'policy');
    writeFileSync(policy, `${witness.line.replace(witness.url, witnessServer.url)}\nquorum w1\n`);
    await service.restart({ CAIRN_LOG_WITNESSES: policy });
    const statement = ownStatement('DataRegistration', { data: [blobUrn('one')] });
    const { json } = await send(service, 'PUT', '/statements/v1', { statement, generate_id: true });
    await using tab = await open();
    await tab.page.goto(`${server.url}/ui/statement/${json.rdfc_cid}`);
    const standing = tab.page.locator('.logged');
    await standing.getByText('Not in the log yet.').waitFor();
    isAwake = true;
    await standing.getByText('In the log. Witnessed by w1 (').waitFor({ timeout: 60_000 });
    expect(tab.problems).toEqual([]);
  });
});
