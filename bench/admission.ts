import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ownContextUrl } from '../src/domain/integrity/contexts/own.ts';
import { cidOf, cidUrn, codecs, makeCid } from '../src/domain/integrity/identifiers/cid.ts';
import { cpuSeconds, quantile, report } from './measure.ts';
import { type ServiceProcess, startAdmission, startService, withFolder } from './service-process.ts';

// Reviews of pods with three images each, which come at a fixed rate over TLS, as from an API server: each is sent at its time, whether
// those before it are answered or not. CPU time is that of the webhook. Then images are revoked while pods with them keep coming.

const perSecond = 1_000;
const seconds = Number(process.env.SECONDS ?? 10);
const rounds = Number(process.env.ROUNDS ?? 20);
const imagesOfPod = 3;
const connections = 25;
const policy = `{ cairn: policy/1, name: release, signers: { builder: [service] }, rules: [
  { name: made by the builder, require: "made_by.exists(c, c.signed_by == 'builder')" } ] }`;
const person = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';

interface Image {
  readonly name: string;
  readonly credential: string;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at freely
async function sent(url: string, method: string, path: string, body?: object): Promise<any> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
}

/** Images that the service says that it has built. */
async function build(url: string, count: number): Promise<Image[]> {
  const digests = Array.from({ length: count }, () => randomBytes(32));
  const statements = digests.map((digest) => ({
    '@context': ownContextUrl,
    '@type': 'ComputationRegistration',
    registeredBy: person,
    operatedBy: person,
    timestamp: '2026-01-31T12:00:00Z',
    input: cidUrn(cidOf(codecs.raw, 'source')),
    output: cidUrn(makeCid(codecs.raw, digest, 'sha2-256')),
  }));
  const stored = { statements, generate_id: true, issue_vc: true };
  const { results } = await sent(url, 'PUT', '/statements/v1/batch', stored);
  return digests.map((digest, at) => ({
    name: `registry.example/app:1@sha256:${digest.toString('hex')}`,
    credential: results[at].credential_id,
  }));
}

async function revoke(url: string, credential: string): Promise<void> {
  const { entries } = await sent(
    url,
    'GET',
    `/credentials/v1/status?credential_id=${encodeURIComponent(credential)}`,
  );
  const { status: _, ...entry } = entries.find(
    ({ statusPurpose }: { readonly statusPurpose: string }) => statusPurpose === 'revocation',
  );
  const credentialStatus = { type: 'BitstringStatusListEntry', ...entry };
  await sent(url, 'POST', `/credentials/v1/revoke/${encodeURIComponent(credential)}`, { credentialStatus });
}

/** Asks for the admission of a pod, as an API server does. */
function reviewer({ url }: ServiceProcess, folder: string) {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: connections,
    ca: readFileSync(join(folder, 'tls.crt')),
  });
  return (images: readonly Image[]): Promise<boolean> => {
    const containers = images.map(({ name }, at) => ({ name: `c${at}`, image: name, env: [], ports: [] }));
    const review = {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: crypto.randomUUID(),
        kind: { group: '', version: 'v1', kind: 'Pod' },
        namespace: 'models',
        operation: 'CREATE',
        userInfo: { username: 'system:serviceaccount:kube-system:replicaset-controller' },
        object: { metadata: { name: 'app' }, spec: { containers } },
      },
    };
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', agent, headers: { 'content-type': 'application/json' } };
      request(`${url}/validate/release/enforce`, options, async (response) => {
        const text = Buffer.concat(await response.toArray()).toString();
        if (response.statusCode === 200) resolve(JSON.parse(text).response.allowed);
        else reject(new Error(text));
      })
        .on('error', reject)
        .end(JSON.stringify(review));
    });
  };
}

/** @returns how long each review took from the time at which it should have been sent. */
async function load(
  review: (images: readonly Image[]) => Promise<boolean>,
  images: readonly Image[],
  count: number,
) {
  const times: number[] = [];
  const open: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let at = 0; at < count; at += 1) {
    const dueAt = startedAt + (at * 1_000) / perSecond;
    const early = dueAt - performance.now();
    if (early > 0) await delay(early);
    const pod = Array.from({ length: imagesOfPod }, (_, of) => images[(at + of) % images.length] as Image);
    open.push(
      review(pod).then((isAllowed) => {
        if (!isAllowed) throw new Error('A pod with evidence was refused.');
        times.push(performance.now() - dueAt);
      }),
    );
  }
  await Promise.all(open);
  return { times, rate: (count / (performance.now() - startedAt)) * 1_000 };
}

await withFolder(async (folder) => {
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=webhook'];
  const files = ['-keyout', 'tls.key', '-out', 'tls.crt', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...ec, ...files], { cwd: folder, stdio: 'pipe' });
  mkdirSync(join(folder, 'policies'));
  writeFileSync(join(folder, 'policies', 'release.yaml'), policy);
  await using service = await startService(join(folder, 'data'), {}, 'integrity');
  await using webhook = await startAdmission(folder, {
    CAIRN_ADMISSION_CERT_FILE: join(folder, 'tls.crt'),
    CAIRN_ADMISSION_KEY_FILE: join(folder, 'tls.key'),
    CAIRN_ADMISSION_SERVICE_URL: service.url,
    CAIRN_ADMISSION_POLICIES_DIR: join(folder, 'policies'),
  });
  const review = reviewer(webhook, folder);
  const rows = [];
  for (const count of [10, 50]) {
    const images = await build(service.url, count);
    await load(review, images, perSecond);
    const before = [cpuSeconds(webhook.pid), cpuSeconds(service.pid)] as const;
    const { times, rate } = await load(review, images, perSecond * seconds);
    const [own, services] = [cpuSeconds(webhook.pid) - before[0], cpuSeconds(service.pid) - before[1]];
    rows.push({
      what: `${count} images in use`,
      'reviews/s': rate,
      'p50 ms': quantile(times, 0.5),
      'p99 ms': quantile(times, 0.99),
      'CPU ms each': (own / times.length) * 1_000,
      'CPU of the service': services / seconds,
    });
  }
  report(`${perSecond} reviews a second for ${seconds} s, ${imagesOfPod} images each`, rows);

  const gone: number[] = [];
  for (const image of await build(service.url, rounds)) {
    await review([image]);
    await revoke(service.url, image.credential);
    const revokedAt = performance.now();
    let sentAt = revokedAt;
    for (let isAllowed = true; isAllowed; await delay(5)) {
      sentAt = performance.now();
      isAllowed = await review([image]);
    }
    gone.push(sentAt - revokedAt);
  }
  report(`${rounds} revocations, from their answer until a pod is refused that was sent then`, [
    { what: 'ms', p50: quantile(gone, 0.5), most: Math.max(...gone) },
  ]);
});
process.exit();
