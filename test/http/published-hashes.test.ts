import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codecs, makeCid } from '../../src/domain/integrity/identifiers/cid.ts';
import { startProvider } from '../access/provider.ts';
import { ownStatement } from '../builders/statements.ts';
import { json, newWorldWithCallers, oidcSettings, type Send, sendAs, type World } from './access-world.ts';
import { useService } from './service.ts';

const provider = await startProvider();
afterAll(async () => await provider[Symbol.asyncDispose]());

describe.each(['any', 'project'])('with CAIRN_BLOB_SCOPE=%s', (scope) => {
  const service = useService({ ...oidcSettings(provider), CAIRN_BLOB_SCOPE: scope });
  let world: World;
  let reader: string;
  let stranger: string;

  beforeAll(async () => {
    ({ world, ofAlpha: reader, ofBeta: stranger } = await newWorldWithCallers(service, provider));
  });

  /** What may be published of a file that nobody has published. */
  function publishedHashes(text: string): string[] {
    const hex = (algorithm: string, given = text) => createHash(algorithm).update(given).digest('hex');
    const sha256 = hex('sha256');
    return [
      ...[sha256, `sha256:${sha256}`, `sha512:${hex('sha512')}`],
      `git:${hex('sha1', `blob ${text.length}\0${text}`)}`,
      makeCid(codecs.raw, Buffer.from(sha256, 'hex'), 'sha2-256').text,
    ];
  }

  const policy = { cairn: 'policy/1', name: 'any', rules: [{ name: 'named', require: "name != ''" }] };

  async function metadata(token: string, document: object): Promise<string> {
    const stored = await sendAs(service, token, { method: 'PUT', path: '/store/v1/jcs', ...json(document) });
    return `urn:cid:${stored.json.cid}`;
  }

  const search = async (token: string, q: string) =>
    await sendAs(service, token, { method: 'GET', path: `/search/v1?q=${encodeURIComponent(q)}` });

  test('a published hash tells nobody the CID of bytes that their statements do not name', async () => {
    const { blob, text } = world.alpha;
    await expect
      .poll(async () => (await search(reader, publishedHashes(text)[0] ?? '')).text)
      .toContain(blob);
    for (const subject of publishedHashes(text)) {
      const check = { method: 'POST', path: '/checks/v1', ...json({ subject, policy, explain: true }) };
      expect((await search(reader, subject)).json.artefacts.items, subject).toHaveLength(1);
      expect((await sendAs(service, reader, check)).status, subject).toBe(200);
      const answers = [await search(stranger, subject), await sendAs(service, stranger, check)];
      for (const answer of answers) expect(answer.text, subject).not.toContain(blob);
      expect(
        answers.map(({ status }) => status),
        subject,
      ).toEqual([200, 404]);
    }
  });

  test('nor does a statement of their own about such a hash, in lineages, reports and checks', async () => {
    const { blob, text } = world.alpha;
    const { beta } = world;
    const sha256 = makeCid(codecs.raw, createHash('sha256').update(text).digest(), 'sha2-256').text;
    const used = { input: `urn:cid:${sha256}`, output: `urn:cid:${beta.blob}` };
    const run = ownStatement('ComputationRegistration', { ...used, operatedBy: 'did:web:operator.example' });
    const named = { subject: `urn:cid:${sha256}`, metadata: await metadata(stranger, { name: 'the file' }) };
    const statements = [run, ownStatement('MetadataRegistration', named)];
    const body = { statements, generate_id: true, graph_id: beta.id };
    const put = { method: 'PUT', path: '/statements/v1/batch', ...json(body) };
    expect((await sendAs(service, stranger, put)).status).toBe(201);
    const asked: Send[] = [
      `/lineage/v1/${sha256}`,
      `/lineage/v1/${beta.blob}`,
      `/lineage/v1/${beta.blob}/provenance?format=slsa`,
      `/report/v1/${sha256}`,
      `/cid/v1/find/${sha256}`,
      `/search/v1?q=${sha256}`,
      `/search/v1?q=the%20file`,
    ].map((path) => ({ method: 'GET', path }));
    for (const subject of [sha256, 'the file'])
      asked.push({ method: 'POST', path: '/checks/v1', ...json({ subject, policy, explain: true }) });
    for (const one of asked) {
      const answer = await sendAs(service, stranger, one);
      expect(answer.status, one.path).toBe(200);
      expect(answer.text, one.path).not.toContain(blob);
    }
    const path = `/lineage/v1/${sha256}`;
    expect((await sendAs(service, reader, { method: 'GET', path })).text).toContain(blob);
  });
});
