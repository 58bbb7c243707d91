import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Admission, openAdmission } from '../../../src/admission.ts';
import type { AdmissionAnswer } from '../../../src/contract/admission/review.ts';
import { readSettings } from '../../../src/platform/settings/settings.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

/** Writes a certificate for 127.0.0.1 and its key into a folder. */
export function writeCertificate(folder: string, name = 'webhook'): void {
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const files = ['-keyout', 'tls.key', '-out', 'tls.crt'];
  const about = ['-days', '10', '-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...ec, ...files, ...about], { cwd: folder, stdio: 'pipe' });
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at freely
  readonly json: any;
  /** The name in the certificate of the webhook. */
  readonly certificate: string;
}

export interface Webhook extends AsyncDisposable {
  readonly folder: string;
  readonly admission: Admission;
  /** The lines of the log. */
  readonly log: readonly Record<string, unknown>[];
  readonly stop: () => void;
  get(path: string): Promise<Answer>;
  post(path: string, body: string): Promise<Answer>;
  /** Sends a review, as an API server does. */
  review(path: string, asked: object): Promise<AdmissionAnswer>;
}

export interface WebhookOptions {
  readonly serviceUrl: string;
  /** By their names. */
  readonly policies: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** `cairn serve admission` on a free port. */
export async function startWebhook({ serviceUrl, policies, env = {} }: WebhookOptions): Promise<Webhook> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder()).path;
  writeCertificate(folder);
  const policyFolder = join(folder, 'policies');
  mkdirSync(policyFolder);
  for (const [name, text] of Object.entries(policies))
    writeFileSync(join(policyFolder, `${name}.yaml`), text);
  const settings = readSettings(
    {
      CAIRN_ADMISSION_PORT: '0',
      CAIRN_ADMISSION_CERT_FILE: join(folder, 'tls.crt'),
      CAIRN_ADMISSION_KEY_FILE: join(folder, 'tls.key'),
      CAIRN_ADMISSION_SERVICE_URL: serviceUrl,
      CAIRN_ADMISSION_POLICIES_DIR: policyFolder,
      ...env,
    },
    {},
    ['admission'],
  );
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const stopping = new AbortController();
  const admission = opened.use(await openAdmission(settings, log, stopping.signal));
  const { url } = admission.server;
  const send = (path: string, body?: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const method = body === undefined ? 'GET' : 'POST';
      const headers = { 'content-type': 'application/json' };
      const ca = readFileSync(join(folder, 'tls.crt'));
      const sent = request(url + path, { method, headers, ca, agent: false }, async (response) => {
        const socket = response.socket as import('node:tls').TLSSocket;
        const certificate = String(socket.getPeerCertificate().subject.CN);
        const chunks = await response.toArray();
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, json: JSON.parse(text), certificate });
      });
      sent.on('error', reject).end(body);
    });
  const stack = opened.move();
  return {
    folder,
    admission,
    log: lines,
    stop: () => stopping.abort(),
    get: (path) => send(path),
    post: (path, body) => send(path, body),
    async review(path, asked) {
      const { status, json } = await send(path, JSON.stringify(reviewAbout(asked)));
      if (status !== 200) throw new Error(JSON.stringify(json));
      return json.response;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** An AdmissionReview as an API server sends it. @param asked members of the request beside the usual ones. */
export function reviewAbout(asked: object) {
  const request = {
    uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    name: 'app',
    namespace: 'models',
    operation: 'CREATE',
    userInfo: { username: 'ada', groups: ['system:authenticated'] },
    object: null,
    oldObject: null,
    dryRun: false,
    options: {},
    ...asked,
  };
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
}

export function podOf(...images: readonly string[]) {
  const containers = images.map((image, at) => ({ name: `c${at}`, image }));
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'app' }, spec: { containers } };
}
