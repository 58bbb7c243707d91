import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type Serving, servedBy } from '../../src/cli/setting-options.ts';
import { consolePages, isControlPlanePath } from '../../src/http/control-plane/paths.ts';
import { readSettings, unknownVariables } from '../../src/platform/settings/settings.ts';
import { describeChart, environmentOf, examples, hasTool, lint, render, run, secret } from './helm.ts';

const key = '{"kty":"OKP","crv":"Ed25519","d":"AA","x":"AA"}';
const embedded = ['embedded.enabled=true', 'integrity.replicas=1'];

describeChart('the Helm chart', () => {
  const rendered = new Map<string, string>();
  const of = (example: string) => rendered.get(example) ?? '';

  beforeAll(async () => {
    for (const example of examples) {
      const { code, stdout, stderr } = await render(example);
      expect(stderr).toBe('');
      expect(code).toBe(0);
      rendered.set(example, stdout);
    }
  });

  test.each(examples)('passes helm lint with %s.yaml', async (example) => {
    const { code, stdout } = await lint(example);
    expect(stdout).toContain('0 chart(s) failed');
    expect(code).toBe(0);
  });

  test.skipIf(!hasTool('kubernetes-validate'))('renders objects that Kubernetes knows', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-chart-'));
    try {
      const files = [...rendered].map(([example, text]) => {
        const file = join(folder, `${example}.yaml`);
        writeFileSync(file, text);
        return file;
      });
      // Kinds of the Prometheus operator have no schema there.
      const strict = ['--strict', '--quiet', '--no-warn'];
      const { code, stdout, stderr } = await run('kubernetes-validate', [...strict, ...files]);
      expect(`${stdout}${stderr}`).toBe('');
      expect(code).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test.each(examples)('gives processes settings that they accept with %s.yaml', (example) => {
    const deployments = of(example)
      .split('\n---\n')
      .filter((text) => text.includes('\nkind: Deployment\n'));
    expect(deployments).toHaveLength(example === 'admission' ? 4 : 3);
    for (const text of deployments) {
      const environment = environmentOf(text);
      const serving = /args: \[serve, (\S+)\]/.exec(text)?.[1] as Serving;
      const settings = readSettings(environment, {}, servedBy[serving]);
      expect(settings.host).toBe('0.0.0.0');
      expect(unknownVariables(environment)).toEqual([]);
    }
  });

  test('confines every container', async () => {
    const withoutForeign = ['pod.initContainers=null', 'pod.extraContainers=null'];
    const { stdout: everything } = await render('everything', ...withoutForeign);
    for (const text of [...examples.slice(0, -1).map(of), everything]) {
      const count = (part: string) => text.split(part).length - 1;
      // Three Deployments, the setup job and the test. There are two CronJobs with everything, and maybe the webhook.
      const pods = text === everything ? 7 : text === of('admission') ? 6 : 5;
      expect(text.match(/ image: \S*cairn[:@]/g)).toHaveLength(pods);
      for (const line of [
        'runAsNonRoot: true',
        'seccompProfile: { type: RuntimeDefault }',
        'readOnlyRootFilesystem: true',
        'allowPrivilegeEscalation: false',
        'capabilities: { drop: [ALL] }',
      ])
        expect([line, count(line)]).toEqual([line, pods]);
      expect(count('automountServiceAccountToken: false')).toBe(pods + 1);
    }
  });

  test('gives pods more time to stop than the process takes', () => {
    expect(of('minimal')).toMatch(
      /CAIRN_SHUTDOWN_DELAY\s+value: 10s\s.*CAIRN_SHUTDOWN_TIMEOUT\s+value: 30s/s,
    );
    expect(of('minimal')).toContain('terminationGracePeriodSeconds: 45\n');
    expect(of('everything')).toContain('terminationGracePeriodSeconds: 80\n');
  });

  test('sends the paths of the control plane to the control plane', () => {
    const path = /- path: (\S+)\n\s+pathType: \w+\n\s+backend: { service: { name: cairn-control-plane/g;
    const paths = [...of('browser').matchAll(path)].map(([, name = '']) => (name === '/v1' ? '/v1/' : name));
    expect(paths).toEqual(expect.arrayContaining([...consolePages, '/ui/sign-in', '/ui/account', '/v1/']));
    expect(paths.filter((name) => !isControlPlanePath(name))).toEqual([]);
  });

  test('makes Secrets of values, also for the job that runs before they exist', async () => {
    const connections = ['mongodbURL=mongodb://db/', 'redisURL=redis://redis/'].map(
      (value) => `connections.${value}`,
    );
    const { stdout } = await render(
      'minimal',
      'existingSecrets.connections=',
      'existingSecrets.signingKey=',
      'existingSecrets.logKey=',
      ...connections,
      `signingKey=${key}`,
      `logKey=${key}`,
    );
    expect(stdout.match(/(?<=kind: Secret\nmetadata:\n {2}name: ).*/g)?.toSorted()).toEqual([
      'cairn-connections',
      'cairn-log-key',
      'cairn-setup-connections',
      'cairn-setup-signing-key',
      'cairn-signing-key',
    ]);
  });

  test('runs one pod on the embedded store', async () => {
    const { stdout } = await render('minimal', ...embedded);
    expect(stdout.match(/kind: Deployment/g)).toHaveLength(1);
    expect(stdout).toContain('args: [serve, all]');
    expect(stdout).not.toContain('CAIRN_MONGODB_URL');
  });

  test('carries the alert rules and the dashboard', () => {
    expect(of('everything')).toMatch(/kind: PrometheusRule\n.*- alert: CairnDown/s);
    expect(of('everything')).toMatch(/grafana_dashboard: '1'\n.*"uid": "cairn"/s);
  });

  test('takes an empty bearer mode for oidc', () => {
    expect(of('bearer')).toMatch(/CONTROL_PLANE_AUTH_BEARER_MODE\s+value: "oidc"/);
  });

  test.each<[string, string, string[], string]>([
    ['a value it does not know', 'minimal', ['integrity.replica=3'], "'replica' not allowed"],
    [
      'no authentication behind an ingress',
      'minimal',
      ['ingress.enabled=true', 'ingress.host=cairn.example'],
      'integrity.auth.mode is disabled and ingress.enabled is true',
    ],
    [
      'an open control plane behind an ingress',
      'browser',
      ['controlPlane.auth.enabled=false', 'controlPlane.auth.idp.enabled=false'],
      'controlPlane.auth.enabled is false and ingress.enabled is true',
    ],
    [
      'authentication that nobody chose',
      'minimal',
      ['integrity.auth.mode='],
      'Set it to oidc or auth_service.',
    ],
    [
      'several replicas on the embedded store',
      'minimal',
      ['embedded.enabled=true'],
      'Set integrity.replicas=1 and',
    ],
    [
      'autoscaling on the embedded store',
      'minimal',
      [...embedded, 'integrity.autoscaling.enabled=true'],
      'integrity.autoscaling.enabled=false, or use MongoDB',
    ],
    [
      'a short secret',
      'bearer',
      ['controlPlane.auth.registrationTokenSecret=tooshort'],
      'controlPlane.auth.registrationTokenSecret has fewer than 32 bytes. Make one with "openssl rand -base64 32".',
    ],
    [
      'a placeholder',
      'browser',
      [`controlPlane.auth.idp.stateSecret=please-change-me-${secret}`],
      'controlPlane.auth.idp.stateSecret is a placeholder.',
    ],
    [
      'one character repeated',
      'browser',
      [`controlPlane.gatewaySecret=${'x'.repeat(40)}`],
      'controlPlane.gatewaySecret is a placeholder.',
    ],
    [
      'browser sign-in without its secrets',
      'browser',
      ['existingSecrets.controlPlaneAuth='],
      'stateSecret, idpClientID and idpClientSecret in existingSecrets.controlPlaneAuth',
    ],
    ['a key that is none', 'minimal', ['signingKey=abc'], 'signingKey is not a private JWK.'],
    ['a log key that is none', 'minimal', ['logKey=abc'], 'logKey is not a private JWK.'],
    [
      'no servers',
      'minimal',
      ['existingSecrets.connections='],
      'Set connections.mongodbURL and connections.redisURL',
    ],
    [
      'plain HTTP to an auth service outside the cluster',
      'auth-service',
      ['integrity.auth.authServiceBaseURL=http://auth.example.com'],
      'Use https, or a name of the cluster',
    ],
    [
      'an open door in the settings',
      'minimal',
      ['settings.CAIRN_ALLOW_UNAUTHENTICATED=true'],
      'CAIRN_ALLOW_UNAUTHENTICATED',
    ],
  ])('refuses %s', async (_what, example, changes, message) => {
    const { code, stderr } = await render(example, ...changes);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });
});
