import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type CheckServer, startCheckServer } from './check-server.ts';
import { podOf, reviewAbout, startWebhook, type Webhook } from './webhook.ts';

const release = `
cairn: policy/1
name: release
rules:
  - { name: signed by the builder, require: "made_by.exists(c, true)" }
`;
const digest = (hex: string) => `sha256:${hex.repeat(64)}`;
const good = `registry.example/app:1@${digest('a')}`;
const bad = `registry.example/app:2@${digest('b')}`;
const doubtful = `registry.example/app:3@${digest('c')}`;
const unknown = `registry.example/app:4@${digest('d')}`;

let checks: CheckServer;
let webhook: Webhook;
beforeAll(async () => {
  checks = await startCheckServer();
  webhook = await startWebhook({
    serviceUrl: checks.url,
    policies: { release },
    env: { CAIRN_ADMISSION_EXEMPT_IMAGES: 'registry.k8s.io/,istio/proxyv2' },
  });
});
afterAll(async () => {
  await webhook[Symbol.asyncDispose]();
  await checks[Symbol.asyncDispose]();
});
beforeEach(() => {
  checks.results.set(digest('a'), 'pass').set(digest('b'), 'fail').set(digest('c'), 'cannot_tell');
  checks.asked.length = 0;
  delete checks.instead;
});

const enforce = '/validate/release/enforce';

describe('in the mode enforce', () => {
  test('a pod whose images pass is admitted, with what rules warn of', async () => {
    expect(await webhook.review(enforce, { object: podOf(good, 'registry.k8s.io/pause:3') })).toEqual({
      uid: reviewAbout({}).request.uid,
      allowed: true,
      warnings: [`${good}: small: It is large.`],
      auditAnnotations: { outcome: 'pass', reason: `${good}: small: It is large.` },
    });
  });

  test.each([
    [
      bad,
      /app:2@sha256:b+ does not pass the policy release: signed by the builder: No computation is recorded that made the image .* See: cairn check sha256:b+ --policy release.yaml$/,
    ],
    [
      doubtful,
      /^\S+ does not pass the policy release: signed by the builder: Nobody has said the kind of the image\./,
    ],
    [
      unknown,
      /^\S+ does not pass the policy release: nothing is known about this digest\. Record its evidence/,
    ],
    [
      'registry.example:5000/app:1.2',
      /has no sha256 digest.* Write it as registry.example:5000\/app@sha256:…\.$/,
    ],
    [
      `app:1@${digest('A')}`,
      /has no sha256 digest of 64 lower-case hexadecimal digits.* Write it as app@sha256:…\.$/,
    ],
  ])('a pod with %s is refused, with one sentence that says why and what to do', async (image, sentence) => {
    const { allowed, status } = await webhook.review(enforce, { object: podOf(good, image) });
    expect(allowed).toBe(false);
    expect(status).toEqual({ code: 403, reason: 'Forbidden', message: expect.stringMatching(sentence) });
    expect(status?.message.length).toBeLessThan(700);
  });

  test('a dry run is decided in the same way', async () => {
    const { allowed } = await webhook.review(enforce, { object: podOf(bad), dryRun: true });
    expect(allowed).toBe(false);
    expect(webhook.log.at(-1)).toMatchObject({ dry_run: true, outcome: 'fail' });
  });

  test('workloads are refused before they make pods', async () => {
    const object = { kind: 'Deployment', spec: { template: podOf(bad) } };
    expect(await webhook.review(enforce, { object })).toMatchObject({ allowed: false });
  });

  test('an update is asked about the images that it adds, so that running pods can be finished with', async () => {
    const update = { operation: 'UPDATE', oldObject: podOf(bad) };
    const kept = await webhook.review(enforce, { ...update, object: podOf(bad) });
    expect(kept).toEqual({ uid: kept.uid, allowed: true });
    const debugged = podOf(bad);
    Object.assign(debugged.spec, { ephemeralContainers: [{ name: 'debug', image: 'busybox' }] });
    const added = await webhook.review(enforce, { ...update, object: debugged });
    expect(added.status?.message).toMatch(/^busybox has no sha256 digest/);
  });

  test.each([
    ['is deleted', { operation: 'DELETE', oldObject: podOf(bad) }],
    ['is connected to', { operation: 'CONNECT', object: { kind: 'PodExecOptions' } }],
    ['has no pods', { object: { kind: 'ConfigMap', data: {} }, oldObject: undefined }],
  ])('an object that %s is admitted without a question', async (_, asked) => {
    expect(await webhook.review(enforce, asked)).toMatchObject({ allowed: true });
    expect(checks.asked).toEqual([]);
  });

  test('a pod with 40 images asks once about each digest, a bounded number at once', async () => {
    const images = Array.from({ length: 40 }, (_, at) => `app@sha256:${String(at).padStart(64, 'e')}`);
    const { status } = await webhook.review(enforce, { object: podOf(...images, ...images) });
    expect(checks.asked).toHaveLength(40);
    expect(checks.most()).toBeLessThanOrEqual(32);
    expect(status?.message.split('\n')).toHaveLength(6);
    expect(status?.message).toMatch(/\nThere are 35 more\.$/);
  });
});

test('in the mode warn the same sentences are warnings', async () => {
  const { allowed, warnings, status } = await webhook.review('/validate/release/warn', {
    object: podOf(bad, 'nginx'),
  });
  expect({ allowed, status }).toEqual({ allowed: true });
  expect(warnings).toEqual([
    expect.stringMatching(/app:2@sha256:b+ does not pass the policy release/),
    expect.stringMatching(/^nginx has no sha256 digest/),
  ]);
});

test('in the mode audit they are in the audit annotations and in the log, and nobody else hears of them', async () => {
  const answer = await webhook.review('/validate/release/audit', { object: podOf(bad) });
  expect(answer).toEqual({
    uid: answer.uid,
    allowed: true,
    auditAnnotations: { outcome: 'fail', reason: expect.stringMatching(/does not pass the policy release/) },
  });
  expect(webhook.log.at(-1)).toMatchObject({
    msg: 'admission',
    user: 'ada',
    namespace: 'models',
    kind: 'Pod',
    name: 'app',
    mode: 'audit',
    allowed: true,
    images: [{ image: bad, outcome: 'fail' }],
  });
});

test.each(['/validate', '/validate/relaese/enforce'])(
  'a namespace whose policy is not installed gets no pods (%s)',
  async (path) => {
    const { allowed, status } = await webhook.review(path, { object: podOf(good) });
    expect(allowed).toBe(false);
    expect(status?.message).toMatch(/policy.* Installed are: release\.$/);
  },
);

describe('a request that is no review is refused, and the API server does what its failurePolicy says', () => {
  const post = (body: string, path = enforce) => webhook.post(path, body);
  test.each([
    ['garbage', '{', 400, /^The body is not JSON\./],
    ['nothing', '', 400, /^The body is not JSON\./],
    ['null', 'null', 400, /^This is no AdmissionReview of admission\.k8s\.io\/v1: it must be an object\./],
    [
      'a review of an old version',
      JSON.stringify({ ...reviewAbout({}), apiVersion: 'admission.k8s.io/v1beta1' }),
      400,
      /Set admissionReviewVersions: \[v1\]\.$/,
    ],
    [
      'a review without an object',
      JSON.stringify(reviewAbout({ object: null })),
      400,
      /CREATE has no object/,
    ],
    [
      'a review without a request',
      JSON.stringify({ ...reviewAbout({}), request: undefined }),
      400,
      /: request is missing; it must be an object\. Only API servers call this webhook/,
    ],
    [
      'a review of an unknown operation',
      JSON.stringify(reviewAbout({ operation: 'PATCH' })),
      400,
      /: request\.operation must be "CREATE" or "UPDATE" or "DELETE" or "CONNECT"\./,
    ],
    [
      'containers of an unknown form',
      JSON.stringify(reviewAbout({ object: { spec: { containers: {} } } })),
      400,
      /^The containers of the Pod have an unknown form\. In the ValidatingWebhookConfiguration, name/,
    ],
    ['more than 3 MiB', JSON.stringify(reviewAbout({ object: 'x'.repeat(3 << 20) })), 413, /bytes/],
  ])('%s', async (_, body, status, words) => {
    const answer = await post(body);
    expect(answer.status).toBe(status);
    expect(answer.json.error).toMatch(words);
    expect(answer.json.error).toMatch(/\.$/);
    expect(answer.json.error).not.toMatch(/Invalid/);
  });

  test('an unknown mode', async () => {
    expect((await post(JSON.stringify(reviewAbout({})), '/validate/release/enforced')).status).toBe(404);
  });
});

describe('while the service does not answer', () => {
  const fresh = () => `app@sha256:${crypto.randomUUID().replaceAll('-', '').repeat(2)}`;
  const away: readonly [string, CheckServer['instead'], RegExp][] = [
    ['fails', () => new Response('no', { status: 500 }), /has answered 500\./],
    [
      'refuses the token',
      () => Response.json({ error: 'Send a token.', code: 'unauthorized', request_id: '1' }, { status: 401 }),
      /has answered 401: Send a token\./,
    ],
    ['answers something else', () => Response.json({ result: 'pass' }), /has not answered with a check/],
    [
      'has no checks',
      () =>
        Response.json(
          { error: 'There is no POST /checks/v1. See /docs.', code: 'not_found', request_id: '1' },
          { status: 404 },
        ),
      /has answered 404: There is no POST/,
    ],
    ['sends its callers elsewhere', () => Response.redirect('http://127.0.0.1:1/', 307), /has answered 307/],
  ];

  test.each(away)('and %s, pods are refused, with the reason', async (_, instead, reason) => {
    if (instead) checks.instead = instead;
    const image = fresh();
    const { allowed, status } = await webhook.review(enforce, { object: podOf(image) });
    expect(allowed).toBe(false);
    expect(status?.message).toMatch(
      new RegExp(`^${image} could not be checked: The integrity service ${reason.source}`),
    );
  });

  test('a slow service is not waited for longer than the timeout', async () => {
    await using slow = await startWebhook({
      serviceUrl: checks.url,
      policies: { release },
      env: { CAIRN_ADMISSION_TIMEOUT: '50ms' },
    });
    const { promise: never, resolve } = Promise.withResolvers<Response>();
    checks.instead = () => never;
    const { status } = await slow.review(enforce, { object: podOf(good) });
    expect(status?.message).toMatch(/has not answered within 0\.05 s\.$/);
    resolve(new Response());
  });

  test('with the failure policy Ignore they are admitted with a warning, and what is known to fail is not', async () => {
    await using open = await startWebhook({
      serviceUrl: checks.url,
      policies: { release },
      env: { CAIRN_ADMISSION_FAILURE_POLICY: 'Ignore' },
    });
    checks.instead = () => new Response('no', { status: 503 });
    const { allowed, warnings, auditAnnotations } = await open.review(enforce, { object: podOf(good) });
    expect(allowed).toBe(true);
    expect(warnings).toEqual([
      expect.stringMatching(/could not be checked.* It is admitted all the same\.$/),
    ]);
    expect(auditAnnotations).toMatchObject({ outcome: 'not_asked' });
    expect(await open.review(enforce, { object: podOf(good, 'nginx') })).toMatchObject({ allowed: false });
  });
});

test('the token is read for each question, so that it can be replaced', async () => {
  const tokenFile = join(webhook.folder, 'token');
  writeFileSync(tokenFile, 'one\n');
  await using own = await startWebhook({
    serviceUrl: checks.url,
    policies: { release },
    env: { CAIRN_ADMISSION_TOKEN_FILE: tokenFile },
  });
  await own.review(enforce, { object: podOf(good) });
  writeFileSync(tokenFile, 'two\n');
  await own.review(enforce, { object: podOf(bad) });
  expect(checks.asked.map(({ authorization }) => authorization)).toEqual(['Bearer one', 'Bearer two']);
  expect(JSON.stringify(own.log)).not.toMatch(/Bearer|"one"/);
});

test('the webhook is ready when the service has answered for its policies, until it is stopped', async () => {
  await using own = await startWebhook({ serviceUrl: checks.url, policies: { release } });
  checks.instead = () => new Response('no', { status: 503 });
  expect(await own.get('/health')).toMatchObject({ status: 200 });
  expect(await own.get('/ready')).toMatchObject({
    status: 503,
    json: { error: 'The integrity service has answered 503.' },
  });
  delete checks.instead;
  expect(await own.get('/ready')).toMatchObject({ status: 200 });
  checks.instead = () => new Response('no', { status: 503 });
  expect(await own.get('/ready')).toMatchObject({ status: 200 });
  own.stop();
  expect(await own.get('/ready')).toMatchObject({ status: 503 });
});
