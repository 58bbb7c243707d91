import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { type Serving, servedBy } from '../../src/cli/setting-options.ts';
import type { Setting } from '../../src/platform/settings/setting.ts';
import { isBesideOther, settingTable } from '../../src/platform/settings/setting-table.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { describeChart, environmentOf, examples, objectOf, render } from './helm.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $ref?: string;
  readonly definitions: Readonly<Record<string, Schema>>;
}

function fileOf(name: string): string {
  return readFileSync(new URL(`../../k8s/${name}`, import.meta.url), 'utf8');
}

/** The names of the values that have no values inside. */
function leaves(schema: Schema, all: Schema = schema): string[] {
  const { properties = {} } = schema.$ref
    ? (all.definitions[schema.$ref.split('/').at(-1) ?? ''] ?? schema)
    : schema;
  return Object.entries(properties).flatMap(([name, inner]) => {
    const below = leaves(inner, all);
    return below.length > 0 ? below : [name];
  });
}

const embedded = ['embedded.enabled=true', 'integrity.replicas=1'];
const insideTheCluster = 'settings.CONTROL_PLANE_ADAPTER_AUTH_SERVICE_BASE_URL=http://auth.platform.svc:8081';

describeChart('the values of the Helm chart', () => {
  const rendered = new Map<string, string>();
  const of = (example: string) => rendered.get(example) ?? '';
  const changed = async (example: string, ...changes: string[]) => (await render(example, ...changes)).stdout;

  beforeAll(async () => {
    for (const example of examples) rendered.set(example, await changed(example));
    rendered.set('embedded', await changed('minimal', ...embedded));
  });

  test('stand in values.yaml and in the README', () => {
    const names = [...new Set(leaves(JSON.parse(fileOf('values.schema.json'))))].filter(
      (name) => name !== 'global',
    );
    const [values, readme] = [fileOf('values.yaml'), fileOf('README.md')];
    // The fields of probes are those of Kubernetes.
    const fields = ['initialDelaySeconds', 'successThreshold'];
    const isMissing = (name: string) => !fields.includes(name) && !new RegExp(`\\b${name}:`).test(values);
    expect(names.filter(isMissing)).toEqual([]);
    const isUnexplained = (name: string) => !new RegExp(`[\`.]${name}\``).test(readme);
    expect(names.filter((name) => !/Seconds$|Threshold$/.test(name) && isUnexplained(name))).toEqual([]);
  });

  test('refuse secrets in settings, and variables that other values set', async () => {
    const own = fileOf('examples/everything.yaml');
    const made = [...rendered.values()].flatMap((text) => Object.keys(environmentOf(text)));
    const settings: Setting<unknown>[] = Object.values(settingTable);
    const secrets = settings.filter(({ isSecret }) => isSecret).map(({ variable }) => variable);
    const names = [...new Set([...made.filter((name) => !own.includes(name)), ...secrets, 'CAIRN_TOKEN'])];
    expect(names).toEqual(expect.arrayContaining(['CAIRN_PUBLIC_URL', 'CONTROL_PLANE_AUTH_STATE_SECRET']));
    const { code, stderr } = await render('minimal', ...names.map((name) => `settings.${name}=true`));
    expect(code).toBe(1);
    expect(names.filter((name) => !stderr.includes(`\n- settings.${name} `))).toEqual([]);
    const given = [...names, 'A', 'A'].map((name, at) => `pod.extraEnv[${at}].name=${name}`);
    const { stderr: refused } = await render('minimal', 'settings.CAIRN_WORKERS=2', ...given);
    const isTaken = (name: string) => !refused.includes(`\n- ${name} in pod.extraEnv is set`);
    expect([...names.filter((name) => name !== 'CAIRN_TOKEN'), 'A'].filter(isTaken)).toEqual([]);
  });

  test('allow an auth service by plain HTTP in the cluster, whichever value names it', async () => {
    for (const text of [of('auth-service'), await changed('bearer', insideTheCluster)]) {
      for (const object of text.split('\n---\n').filter((part) => /args: \[(serve|setup)/.test(part))) {
        const environment = environmentOf(object);
        expect(environment).toMatchObject({ CAIRN_ALLOW_HTTP_AUTH_SERVICE: 'true' });
        const serving = (/args: \[serve, (\S+)\]/.exec(object)?.[1] ?? 'all') as Serving;
        expect(readSettings(environment, {}, servedBy[serving]).allowHttpAuthService).toBe(true);
      }
      expect(text.match(/name: CAIRN_ALLOW_HTTP_AUTH_SERVICE/g)).toHaveLength(4);
    }
    expect(of('bearer')).not.toContain('CAIRN_ALLOW_HTTP_AUTH_SERVICE');
    expect(objectOf(await changed('bearer', insideTheCluster), 'NetworkPolicy')).toContain('{ port: 8081,');
  });

  test('restrict the e-mail domains of ID tokens without sign-in by browser', async () => {
    const text = await changed('bearer', 'controlPlane.auth.idp.allowedEmailDomains=example.com');
    expect(environmentOf(objectOf(text, 'Deployment', 'control-plane'))).toMatchObject({
      CONTROL_PLANE_AUTH_ALLOWED_EMAIL_DOMAINS: 'example.com',
    });
  });

  test('let both services take the sessions of people who sign in by browser', () => {
    for (const component of ['integrity', 'control-plane'] as const) {
      const environment = environmentOf(objectOf(of('browser'), 'Deployment', component));
      const settings = readSettings(environment, {}, servedBy[component]);
      expect(isBesideOther(servedBy[component], settings)).toBe(true);
    }
    expect(objectOf(of('browser'), 'Deployment', 'integrity')).not.toContain('CAIRN_GATEWAY_SECRET');
    expect(objectOf(of('browser'), 'Deployment', 'jobs')).not.toContain('CONTROL_PLANE_AUTH');
  });

  test('say whether cookies are secure', async () => {
    expect(environmentOf(of('browser'))).toMatchObject({ CONTROL_PLANE_AUTH_COOKIE_SECURE: 'true' });
    const text = await changed('browser', 'controlPlane.auth.idp.cookieSecure=false');
    expect(environmentOf(text)).toMatchObject({ CONTROL_PLANE_AUTH_COOKIE_SECURE: 'false' });
  });

  test('give a start on a busy node five minutes', () => {
    const probes = [
      ...of('minimal').matchAll(
        /startupProbe:\n(?:.*\n){1,4}?\s+failureThreshold: (\d+)\n\s+periodSeconds: (\d+)/g,
      ),
    ];
    expect(probes.map(([, failures, period]) => Number(failures) * Number(period))).toEqual([300, 300, 300]);
    expect(objectOf(of('everything'), 'Deployment', 'integrity')).toContain('failureThreshold: 300');
  });

  test('end a failed setup job, show its log and delete it', () => {
    const job = objectOf(of('minimal'), 'Job');
    expect(job).toContain('hook-delete-policy: before-hook-creation,hook-succeeded,hook-failed');
    expect(job).toContain('hook-output-log-policy: hook-failed');
    expect(job).toContain('activeDeadlineSeconds: 240');
    expect(job).toContain('onExitCodes: { containerName: setup, operator: In, values: [2] }');
  });

  test('give all processes that publish or answer logs their key, and no job', () => {
    const mount = '- { name: log-key, mountPath: /log-key, readOnly: true }';
    for (const name of ['integrity', 'control-plane', 'jobs']) {
      const deployment = objectOf(of('minimal'), 'Deployment', name);
      expect(deployment).toContain(mount);
      expect(deployment).toMatch(/name: CAIRN_LOG_KEY_FILE\n\s+value: \/log-key\/log-key.json\n/);
      expect(deployment).toMatch(/secretName: cairn-log-key\n/);
    }
    expect(of('minimal').split(mount)).toHaveLength(4);
  });

  test('name the keys in Secrets', async () => {
    const names = ['mongodbURL=uri', 'signingKey=jwk', 'stateSecret=state'];
    const text = await changed('browser', ...names.map((name) => `existingSecrets.keys.${name}`));
    expect(objectOf(text, 'Job')).toMatch(/name: cairn-connections\n\s+key: uri\n/);
    expect(objectOf(text, 'Deployment', 'control-plane')).toMatch(/name: cairn-auth\n\s+key: state\n/);
    expect(text.match(/{ key: jwk, path: signing-key.json }/g)).toHaveLength(4);
    const own = await changed(
      'minimal',
      'existingSecrets.connections=',
      'existingSecrets.keys.redisURL=redis',
      'connections.mongodbURL=mongodb://db/',
      'connections.redisURL=redis://redis/',
    );
    expect(objectOf(own, 'Secret', 'setup-connections')).toContain('  redis: redis://redis/');
  });

  test('restrict connections by address', () => {
    const policy = objectOf(of('everything'), 'NetworkPolicy', 'cairn');
    const rule = (port: number, cidr: string) =>
      new RegExp(
        `- ports:\\n\\s+- { port: ${port}, protocol: TCP }\\n\\s+to:\\n\\s+- ipBlock:\\n\\s+cidr: ${cidr}\\n`,
      );
    expect(policy).toMatch(rule(27017, '10.1.2.0/24'));
    expect(policy).toMatch(rule(6380, '10.1.3.0/24'));
    expect(policy).toMatch(rule(443, '203.0.113.0/24'));
  });

  test('place what operators add', () => {
    const text = of('everything');
    expect(objectOf(text, 'ServiceAccount')).toContain('eks.amazonaws.com/role-arn');
    expect(objectOf(text, 'Service', 'integrity')).toMatch(
      /load-balancer-type: Internal\n.*type: LoadBalancer/s,
    );
    for (const component of ['integrity', 'control-plane', 'jobs']) {
      const deployment = objectOf(text, 'Deployment', component);
      expect(deployment).toMatch(/initContainers:\n.*name: wait\n.*containers:\n.*name: database-proxy\n/s);
      expect(deployment).toMatch(
        new RegExp(
          `whenUnsatisfiable: DoNotSchedule\n\\s+labelSelector:\n(.*\n){3}\\s+app.kubernetes.io/component: ${component}\n`,
        ),
      );
    }
    // Three Deployments and three jobs.
    expect(text.match(/name: OTEL_EXPORTER_OTLP_HEADERS/g)).toHaveLength(6);
    expect(text.match(/mountPath: \/contexts/g)).toHaveLength(6);
  });

  test.each<[string, string, string[], string]>([
    [
      'scopes without an ID token',
      'bearer',
      ['controlPlane.auth.bearer.scopes={email}'],
      'scopes="email" lacks openid',
    ],
    ['no public URL', 'minimal', ['publicURL='], 'publicURL is not set.'],
    [
      'a service without authentication outside the cluster',
      'minimal',
      ['integrity.service.type=NodePort'],
      'integrity.auth.mode is disabled and integrity.service.type is NodePort',
    ],
    [
      'e-mail domains that nothing looks at',
      'auth-service',
      ['controlPlane.auth.idp.allowedEmailDomains=example.com'],
      'allowedEmailDomains has no effect with controlPlane.auth.bearer.mode=auth_service',
    ],
    [
      'an auth service by plain HTTP outside the cluster',
      'bearer',
      [insideTheCluster.replace('.svc', '.com')],
      'Use https',
    ],
    [
      'a password in a setting',
      'minimal',
      ['settings.OTEL_EXPORTER_OTLP_ENDPOINT=https://a:b@c'],
      'may hold a secret',
    ],
    ['a backup of a data folder in use', 'minimal', [...embedded, 'backup.enabled=true'], 'need MongoDB'],
  ])('refuse %s', async (_what, example, changes, message) => {
    const { code, stderr } = await render(example, ...changes);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });
});
