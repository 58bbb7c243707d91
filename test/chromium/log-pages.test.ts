import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { blobUrn, ownStatement } from '../builders/statements.ts';
import { sleepingWitness } from '../builders/test-witness.ts';
import { send, useServer, useService } from '../http/service.ts';
import { expectAccessible, phone } from './accessible.ts';
import { describeChromium } from './chromium.ts';

/** However slow the log is. */
const patience = { timeout: 60_000 };

describeChromium('pages that say what the log has', ({ open }) => {
  const service = useService();
  const server = useServer(service);

  it('say that something is not in the log yet, and then since when and who has confirmed it', async () => {
    const { policy, wake } = await sleepingWitness(service);
    await service.restart({ CAIRN_LOG_WITNESSES: policy });
    const graph = randomUUID();
    await send(service, 'PUT', '/graph/v1', { graph_id: graph, name: 'Wheat' });
    const statement = ownStatement('ComputationRegistration', {
      input: blobUrn('one'),
      output: blobUrn('two'),
      operatedBy: 'did:web:example.com',
    });
    const { json } = await send(service, 'PUT', '/statements/v1', {
      statement,
      generate_id: true,
      graph_id: graph,
    });
    const id = json.rdfc_cid;
    await using statementTab = await open();
    await using graphTab = await open({ viewport: phone });
    await using lineageTab = await open({ colorScheme: 'dark' });
    await statementTab.page.goto(`${server.url}/ui/statement/${id}`);
    await graphTab.page.goto(`${server.url}/ui/graph/${graph}`);
    await lineageTab.page.goto(`${server.url}/ui/lineage/${id}`);
    const tabs = [statementTab, graphTab, lineageTab];
    for (const { page } of tabs) await page.locator('.logged').getByText('Not in the log yet.').waitFor();
    wake();
    const since = /^(In the log|1 entry, the newest) since .+ by the clock of the witness w1\./;
    for (const { page } of tabs) {
      await page.locator('.logged').getByText(since).waitFor(patience);
      await expectAccessible(page);
    }
    const receipt = statementTab.page.waitForEvent('download');
    await statementTab.page.getByRole('link', { name: 'Receipt' }).click();
    expect((await receipt).suggestedFilename()).toBe(`${id}.tlog-proof`);
    for (const { problems } of tabs) expect(problems).toEqual([]);
  });
});
