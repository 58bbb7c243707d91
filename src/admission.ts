import { isUtf8 } from 'node:buffer';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repeatedly } from './composition/repeatedly.ts';
import type { CheckAnswer } from './contract/integrity/checks.ts';
import { policyProblemLine } from './contract/policy-problems.ts';
import { RecentAnswers } from './domain/admission/recent-answers.ts';
import { messageOf } from './domain/errors.ts';
import { type Policy, readPolicy } from './domain/integrity/policies/read-policy.ts';
import { admissionApp } from './http/admission/admission-app.ts';
import type { GatePolicy } from './http/admission/findings.ts';
import { type AskService, checkClient } from './platform/http/check-client.ts';
import { listen, type RunningServer, type TlsIdentity } from './platform/http/server.ts';
import type { Log } from './platform/log.ts';
import { requiredValue, type Settings } from './platform/settings/setting-table.ts';
import { SettingsError } from './platform/settings/settings.ts';
import { openTelemetry, type Telemetry } from './platform/telemetry/telemetry.ts';

/** How often the certificate is looked at. Secrets of a cluster change in their volumes within a minute or two. */
const renewMs = 5_000;
/** No image has it. Asking about it shows whether the service takes the token and the policy. */
const nothing = `sha256:${'0'.repeat(64)}`;

export interface Admission extends AsyncDisposable {
  readonly server: RunningServer;
  readonly policies: readonly string[];
}

/**
 * Opens the admission webhook, which has no store of its own.
 * @param stopping makes `/ready` answer 503.
 * @throws SettingsError with every problem of the policies and the certificate.
 */
export async function openAdmission(settings: Settings, log: Log, stopping: AbortSignal): Promise<Admission> {
  await using opened = new AsyncDisposableStack();
  const policies = await readPolicies(requiredValue(settings.admissionPoliciesDir));
  const identity = await readIdentity(settings);
  const telemetry = opened.use(await openTelemetry(settings, log));
  const ask = checkClient({
    serviceUrl: requiredValue(settings.admissionServiceUrl),
    tokenFile: settings.admissionTokenFile,
    timeoutMs: settings.admissionTimeout,
  });
  const gates = new Map([...policies].map(([name, policy]) => [name, gateOf(name, policy, ask, telemetry)]));
  const app = admissionApp({
    policies: gates,
    exempt: settings.admissionExemptImages ?? [],
    failsClosed: settings.admissionFailurePolicy === 'Fail',
    log,
    telemetry,
    ready: firstAnswers(gates),
    stopping,
  });
  const server = await listen({
    fetch: app.fetch,
    host: settings.host,
    port: settings.admissionPort,
    maxConnections: settings.maxConnections,
    portSetting: 'CAIRN_ADMISSION_PORT',
    tls: identity,
  });
  opened.defer(() => server.stop(0));
  opened.use(repeatedly(renewMs, renewing(settings, server, identity, log)));
  const stack = opened.move();
  return { server, policies: [...gates.keys()], [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

function gateOf(name: string, policy: Policy, ask: AskService, { metrics }: Telemetry): GatePolicy {
  const recent = new RecentAnswers<CheckAnswer | null>({
    ask: (digest) => ask(digest, policy),
    clock: () => performance.now(),
    onLookup: (isHit) => metrics?.cacheRequests.inc({ cache: 'checks', result: isHit ? 'hit' : 'miss' }),
  });
  return { name, check: (digest) => recent.get(digest) };
}

/** Resolves when the service has answered for each policy once. Later the answers say what is wrong. */
function firstAnswers(gates: ReadonlyMap<string, GatePolicy>): () => Promise<void> {
  let isReady = false;
  return async () => {
    if (!isReady) await Promise.all([...gates.values()].map(({ check }) => check(nothing)));
    isReady = true;
  };
}

/** Policies have names that are labels of namespaces and parts of paths. */
const policyFile = /^([a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)\.yaml$/;

async function readPolicies(folder: string): Promise<Map<string, Policy>> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new SettingsError([
      `CAIRN_ADMISSION_POLICIES_DIR="${folder}" cannot be read: ${messageOf(cause)}.`,
    ]);
  });
  const problems: string[] = [];
  const policies = new Map<string, Policy>();
  for (const file of names.filter((name) => /\.ya?ml$/.test(name)).sort()) {
    const name = policyFile.exec(file)?.[1];
    const bytes = await readFile(join(folder, file));
    const reading = name === undefined ? undefined : readPolicy(bytes.toString());
    if (name === undefined || !reading)
      problems.push(`${join(folder, file)}: Name it <name>.yaml, in lower-case letters, digits and hyphens.`);
    else if (!isUtf8(bytes)) problems.push(`${join(folder, file)}: It is not UTF-8. Save it as UTF-8.`);
    else if ('policy' in reading) policies.set(name, reading.policy);
    else problems.push(...reading.problems.map((problem) => policyProblemLine(join(folder, file), problem)));
  }
  if (problems.length === 0 && policies.size === 0)
    problems.push(
      `CAIRN_ADMISSION_POLICIES_DIR="${folder}" has no policies. Put at least one <name>.yaml into it.`,
    );
  if (problems.length > 0) throw new SettingsError(problems);
  return policies;
}

type IdentityFiles = Pick<Settings, 'admissionCertFile' | 'admissionKeyFile'>;

async function readIdentity({ admissionCertFile, admissionKeyFile }: IdentityFiles): Promise<TlsIdentity> {
  const [cert, key] = await Promise.all(
    [requiredValue(admissionCertFile), requiredValue(admissionKeyFile)].map((file) =>
      readFile(file, 'utf8').catch((cause: unknown) => {
        throw new SettingsError([`The file ${file} cannot be read: ${messageOf(cause)}.`]);
      }),
    ),
  );
  return { cert: cert ?? '', key: key ?? '' };
}

/** Takes another certificate as soon as its two files fit together. */
function renewing(files: IdentityFiles, server: RunningServer, first: TlsIdentity, log: Log) {
  let used = first;
  return async () => {
    try {
      const found = await readIdentity(files);
      if (found.cert === used.cert && found.key === used.key) return;
      server.renew(found);
      used = found;
      log.info('The certificate of the webhook was replaced.');
    } catch (err) {
      log.warn({ err }, 'The new certificate of the webhook cannot be used, so the old one stays.');
    }
  };
}
