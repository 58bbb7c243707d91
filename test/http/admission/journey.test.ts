import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { livesMs } from '../../../src/domain/admission/recent-answers.ts';
import { cidUrn, codecs, makeCid } from '../../../src/domain/integrity/identifiers/cid.ts';
import { send, useServer, useService } from '../service.ts';
import { type Json, trusted } from '../trusted-statements.ts';
import { podOf, startWebhook, type Webhook } from './webhook.ts';

const service = useService();
const server = useServer(service);
const { put, statement, revoke } = trusted(service);

const release = `
cairn: policy/1
name: release
signers: { builder: [service] }
rules:
  - { name: made and signed by the builder, require: "made_by.exists(c, c.signed_by == 'builder')" }
`;
let webhook: Webhook;
beforeAll(async () => {
  webhook = await startWebhook({ serviceUrl: server.url, policies: { release } });
});
afterAll(() => webhook[Symbol.asyncDispose]());

const enforced = (image: string) => webhook.review('/validate/release/enforce', { object: podOf(image) });

/** Says that the service has built an image, and returns the id of the credential about that. */
async function build(digest: Uint8Array): Promise<string> {
  const image = cidUrn(makeCid(codecs.raw, digest, 'sha2-256'));
  const { data, ...common } = statement();
  const built = {
    '@type': 'ComputationRegistration',
    operatedBy: common.registeredBy,
    input: data,
    output: image,
  };
  const { json } = await put({ ...common, ...built }, { issue_vc: true });
  return json.credential_id;
}

test('an image comes in with evidence, and not within a second after that was revoked', async () => {
  const digest = randomBytes(32);
  const image = `registry.example/app:1@sha256:${digest.toString('hex')}`;
  expect((await enforced(image)).status?.message).toMatch(/nothing is known about this digest/);
  const credential = await build(digest);
  await expect.poll(async () => (await enforced(image)).allowed).toBe(true);

  const { json } = await send(
    service,
    'GET',
    `/credentials/v1/status?credential_id=${encodeURIComponent(credential)}`,
  );
  const entry = json.entries.find(({ statusPurpose }: Json) => statusPurpose === 'revocation');
  expect((await enforced(image)).allowed).toBe(true);
  const { status, ...allocated } = entry;
  expect(status).toBe(false);
  expect((await revoke(credential, { type: 'BitstringStatusListEntry', ...allocated })).status).toBe(200);
  const revokedAt = performance.now();
  const admitted: number[] = [];
  await expect
    .poll(
      async () => {
        const sentAt = performance.now() - revokedAt;
        const { allowed, status: refused } = await enforced(image);
        if (allowed) admitted.push(sentAt);
        return refused?.message;
      },
      { interval: 10 },
    )
    .toMatch(
      /does not pass the policy release: made and signed by the builder: No computation is recorded .* The signature of did:\S+ on bagb6\w+ was revoked\. See: cairn check sha256:/,
    );
  expect(admitted.filter((sentAt) => sentAt >= livesMs)).toEqual([]);
});
