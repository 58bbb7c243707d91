import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { evaluate } from '../../src/domain/integrity/policies/evaluate.ts';
import type { Facts } from '../../src/domain/integrity/policies/facts.ts';
import { readPolicy } from '../../src/domain/integrity/policies/read-policy.ts';

const page = readFileSync(new URL('../../docs/policies.md', import.meta.url), 'utf8');
const policies = [...page.matchAll(/```yaml\n(?:# \S+\n)?(cairn: policy\/1\n.*?)```/gs)].map(
  ([, text = '']) => text,
);

const good = { standing: 'good', is_registrant: true } as const;
const builder = {
  ...good,
  kind: 'proof',
  signer: 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp',
} as const;
const workflow = {
  ...good,
  kind: 'sigstore',
  signer: 'https://github.com/example/app/.github/workflows/release.yml@refs/heads/main',
  issuer: 'https://token.actions.githubusercontent.com',
} as const;
const [model, data, step] = ['urn:cid:model', 'urn:cid:data', 'urn:cid:step'];
const reviewer = { ...good, kind: 'proof', signer: 'did:web:example.com' } as const;

/** Everything that the policies of the page demand. */
const facts: Facts = {
  subject: model,
  upstream: [data],
  members: [],
  computations: [step],
  agents: [],
  complete: true,
  things: {
    artefacts: {
      [model]: {
        id: model,
        kind: 'model',
        made_by: [step],
        provenance: [{ source: 'github.com/example/app@main', signatures: [workflow] }],
        vulnerabilities: [{ id: 'CVE-2026-1', severity: 'low', state: '' }],
        components: [{ name: 'a', licenses: ['MIT'] }],
      },
      [data]: { id: data, kind: 'dataset', reviews: [{ decision: 'approved', signatures: [reviewer] }] },
    },
    computations: {
      [step]: {
        id: step,
        metrics: { accuracy: 0.93 },
        programs: ['urn:cid:program'],
        signatures: [builder],
        log: { origin: 'cairn.example.com/log/v1', index: 1, size: 2 },
      },
    },
    agents: {},
  },
  service: [],
  faults: [],
};

test('the page has ten policies', () => {
  expect(policies).toHaveLength(10);
});

test.each(policies.map((text, at) => [at + 1, text] as const))(
  'policy %d passes on what it demands, and on nothing else',
  async (_, text) => {
    const read = readPolicy(text);
    expect(read).toHaveProperty('policy');
    if (!('policy' in read)) return;
    const now = new Date('2026-11-26T00:00:00Z');
    expect(await evaluate(read.policy, facts, now)).toMatchObject({ result: 'pass' });
    const nothing = {
      ...facts,
      upstream: [],
      computations: [],
      complete: false,
      things: { ...facts.things, artefacts: { [model]: { id: model } } },
    };
    const { rules } = await evaluate(read.policy, nothing, now);
    expect(rules.map(({ result }) => result)).not.toContain('pass');
  },
);
