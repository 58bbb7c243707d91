import { beforeAll, expect, test } from 'vitest';
import { admissionModes } from '../../src/contract/admission/review.ts';
import { readPolicy } from '../../src/domain/integrity/policies/read-policy.ts';
import { describeChart, environmentOf, objectOf, render } from './helm.ts';

describeChart('the admission webhook in the Helm chart', () => {
  let rendered: string;
  let hooks: string[];
  beforeAll(async () => {
    rendered = (await render('admission', 'admission.policies.canary=not read here')).stdout;
    hooks = objectOf(rendered, 'ValidatingWebhookConfiguration').split('\n  - name: ').slice(1);
  });
  const hook = (name: string) => hooks.find((text) => text.startsWith(`${name}.admission.cairn.dev\n`)) ?? '';

  test('is off by default', async () => {
    const { stdout } = await render('minimal');
    expect(stdout).not.toContain('ValidatingWebhookConfiguration');
    expect(stdout).not.toContain('admission');
  });

  test('has a webhook for each policy and mode, and one for labels without a policy', () => {
    const names = ['canary', 'release'].flatMap((policy) =>
      admissionModes.map((mode) => `${mode}.${policy}`),
    );
    expect(hooks.map((text) => /^(\S+)\.admission\.cairn\.dev$/m.exec(text)?.[1])).toEqual([
      ...names,
      'no-such-policy',
    ]);
    expect(hook('warn.release')).toContain('path: /validate/release/warn }');
    expect(hook('no-such-policy')).toContain('operator: NotIn, values: ["canary","release"] }');
  });

  test('enforces unless the label says warn or audit, and only then stops anything if it cannot be reached', () => {
    expect(hook('enforce.release')).toContain('cairn.dev/mode, operator: NotIn, values: [warn, audit] }');
    expect(hook('audit.release')).toContain('cairn.dev/mode, operator: In, values: [audit] }');
    expect(hooks.map((text) => /failurePolicy: (\w+)/.exec(text)?.[1])).toEqual([
      ...['Fail', 'Ignore', 'Ignore', 'Fail', 'Ignore', 'Ignore'],
      'Fail',
    ]);
  });

  test('takes one failure policy for API servers and for the webhook itself', async () => {
    const { stdout } = await render('admission', 'admission.failurePolicy=Ignore');
    expect(objectOf(stdout, 'ValidatingWebhookConfiguration')).not.toContain('failurePolicy: Fail');
    expect(environmentOf(objectOf(stdout, 'Deployment', '-admission'))).toMatchObject({
      CAIRN_ADMISSION_FAILURE_POLICY: 'Ignore',
    });
  });

  test('never checks the namespace of the release, where it could not start without itself', () => {
    for (const text of hooks)
      expect(text).toContain('kubernetes.io/metadata.name, operator: NotIn, values: [cairn] }');
  });

  test('installs policies that the webhook can read', () => {
    const text = /release\.yaml: \|\n((?: {4}.*\n?)+)/.exec(
      objectOf(rendered, 'ConfigMap', '-admission'),
    )?.[1];
    expect(readPolicy(text ?? '')).toHaveProperty('policy');
  });

  test('trusts the certificate that it makes, or the given one', async () => {
    const made = /ca\.crt: (\S+)/.exec(objectOf(rendered, 'Secret', '-admission'))?.[1];
    expect(made).toMatch(/^[\w+/]{100,}=*$/);
    for (const text of hooks) expect(text).toContain(`caBundle: ${made}\n`);
    const given = ['certificate.existingSecret=mine', 'certificate.caBundle=PEM'];
    const { stdout } = await render('admission', ...given.map((value) => `admission.${value}`));
    expect(objectOf(stdout, 'ValidatingWebhookConfiguration')).toContain('caBundle: UEVN\n');
    expect(objectOf(stdout, 'Deployment', '-admission')).toContain('secretName: mine');
    expect(stdout).not.toContain('kind: Secret\n');
  });

  test.each<[string, string[], string]>([
    ['no policy', ['admission.policies=null'], 'Set one with --set-file admission.policies.release'],
    [
      'a policy whose name is no label',
      ['admission.policies.Release=x'],
      'name "Release", which is no label',
    ],
    [
      'no token for a service that asks for one',
      ['integrity.auth.mode=auth_service', 'integrity.auth.authServiceBaseURL=https://auth.example'],
      'Name a Secret with the key token in admission.existingTokenSecret.',
    ],
    [
      'a certificate of an unknown authority',
      ['admission.certificate.existingSecret=mine'],
      'Set it with --set-file admission.certificate.caBundle=ca.crt',
    ],
    ['another place for its settings', ['settings.CAIRN_ADMISSION_PORT=1'], 'is set by the chart'],
  ])('refuses %s', async (_, changes, message) => {
    const { code, stderr } = await render('admission', ...changes);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });
});
