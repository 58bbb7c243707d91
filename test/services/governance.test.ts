import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openIntegrity } from '../../src/integrity.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { newPolicy, newSubject, posted, submission } from '../http/governance/governance.ts';
import { send } from '../http/service.ts';
import { newServiceStore } from '../http/service-store.ts';
import { describeMongo } from '../storage/mongo/database.ts';

describeMongo('governance on two processes with MongoDB', () => {
  test('registers, certifies, revokes and exports, and both processes show the same', async () => {
    const opened = new AsyncDisposableStack();
    onTestFinished(() => opened.disposeAsync());
    const { environment } = opened.use(await newServiceStore('mongodb'));
    const open = async () =>
      opened.use(
        await openIntegrity(readSettings({ ...environment, CAIRN_WORKERS: '1' }), pino({ level: 'silent' })),
      );
    const [one, other] = [await open(), await open()];
    const [subject, project] = [await newSubject(one), randomUUID()];
    const { policyCid, controlCids } = await newPolicy(one);
    const place = `${subject}/${project}`;
    const declaration = { ...submission, controlCid: controlCids };
    const declared = await Promise.all(
      [one, other].map((service) => posted(service, `controls/declaration/${place}`, declaration)),
    );
    expect(declared[0]).toEqual(declared[1]);
    await posted(other, `controls/review/${place}`, {
      ...submission,
      declarationCid: declared[0].documentCid,
      decision: 'approved',
    });
    const compliance = { subjectCid: subject, policyCid, expiryDate: '2999-12-31' };
    const issued = await Promise.all(
      [one, other, one, other].map((service) => posted(service, `policy/compliance/${project}`, compliance)),
    );
    expect(new Set(issued.map(({ credential }) => credential.sourceCid)).size).toBe(1);
    const { credentialId, sourceCid } = issued[0].credential;
    const status = async (service: typeof one) =>
      (await send(service, 'GET', `/gov/v1/status/${place}`)).json;
    expect(await status(one)).toMatchObject({
      controls: [{ controlCid: controlCids[0], review: { decision: 'approved' } }],
      certificates: [{ credentialId, sourceCid, standing: 'valid' }],
    });
    const credential = (await send(other, 'GET', `/store/v1/blob/${sourceCid}`)).text;
    const [credentialStatus] = JSON.parse(credential).credentialStatus;
    const path = `/credentials/v1/revoke/${encodeURIComponent(credentialId)}`;
    expect((await send(one, 'POST', path, { credentialStatus })).status).toBe(200);
    expect((await status(other)).certificates).toMatchObject([{ standing: 'revoked' }]);
    const asked = { policyCids: [policyCid], includeBlobs: true };
    const manifest = await posted(other, `policy/manifest/${project}`, asked);
    expect(Object.keys(manifest.statements)).toHaveLength(5);
    expect(Object.keys(manifest.blobs)).toContain(sourceCid);
  });
});
