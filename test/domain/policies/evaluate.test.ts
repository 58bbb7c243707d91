import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../src/domain/integrity/policies/evaluate.ts';
import type { Facts } from '../../../src/domain/integrity/policies/facts.ts';
import { readPolicy } from '../../../src/domain/integrity/policies/read-policy.ts';

const now = new Date('2026-06-01T00:00:00Z');
const builder = 'did:key:z6MkBuilder';
const good = { kind: 'proof', standing: 'good', is_registrant: true } as const;
const [model, data, step] = ['urn:cid:model', 'urn:cid:data', 'urn:cid:step'];

const review = {
  decision: 'approved',
  at: '2026-05-01T00:00:00Z',
  statements: ['urn:cid:review'],
  signatures: [{ ...good, signer: 'did:web:example.com', statements: ['urn:cid:review'] }],
};
const artefacts = {
  [model]: { id: model, kind: 'model', made_by: [step], size: 100, statements: ['urn:cid:metadata'] },
  [data]: { id: data, kind: 'dataset', reviews: [review], statements: ['urn:cid:registration'] },
};
const computation = {
  id: step,
  inputs: [data],
  metrics: { accuracy: 0.93 },
  statements: [step],
  signatures: [{ ...good, signer: builder, statements: [step] }],
};
const facts: Facts = {
  subject: model,
  upstream: [data],
  members: [],
  computations: [step],
  agents: [],
  things: { artefacts, computations: { [step]: computation }, agents: {} },
  service: [],
  faults: [],
};

function policyOf(rules: readonly object[], more: object = {}) {
  const signers = { builder: [builder], reviewers: ['did:web:example.com'] };
  const read = readPolicy(JSON.stringify({ cairn: 'policy/1', name: 'p', signers, rules, ...more }));
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return read.policy;
}

async function check(rule: object, about: Facts = facts) {
  const { rules } = await evaluate(policyOf([{ name: 'r', ...rule }]), about, now);
  return rules[0];
}

const withUpstream = (count: number, more: object = {}): Facts => {
  const ids = Array.from({ length: count }, (_, at) => `urn:cid:${at}`);
  const many = Object.fromEntries(ids.map((id) => [id, { id, kind: 'dataset', ...more }]));
  return { ...facts, upstream: ids, things: { ...facts.things, artefacts: { ...artefacts, ...many } } };
};

describe('a rule', () => {
  test('passes with the statements that decided it', async () => {
    expect(await check({ require: "made_by.exists(c, c.signed_by == 'builder')" })).toMatchObject({
      result: 'pass',
      decidedBy: [step],
    });
  });

  test('says that something may be left out, if it demands that nothing is', async () => {
    const rule = { require: 'complete' };
    const about = { ...facts, complete: false };
    expect(await check(rule, about)).toMatchObject({ missing: [{ fact: 'complete', of: model }] });
    expect(await check({ require: '!complete' }, about)).toMatchObject({ result: 'pass', missing: [] });
  });

  test('names the retracted statements that would say what it lacks, and no others', async () => {
    const gone = { by: builder, at: '2026-05-01T00:00:00Z' };
    const retracted = [
      { statement: 'urn:cid:r1', kind: 'GovernanceRegistration', of: model, ...gone },
      { statement: 'urn:cid:r2', kind: 'GovernanceRegistration', of: data, ...gone },
      { statement: 'urn:cid:r3', kind: 'MetadataRegistration', of: model, ...gone },
      { statement: 'urn:cid:r4', kind: 'ComputationRegistration', of: model, ...gone },
    ];
    const about = { ...facts, retracted };
    const named = async (require: string) => (await check({ require }, about))?.withdrawn;
    expect(await named("reviews.exists(r, r.decision == 'approved')")).toEqual([
      { statement: 'urn:cid:r1', state: 'retracted', ...gone },
    ]);
    expect(await named("name == 'model.bin'")).toMatchObject([{ statement: 'urn:cid:r3' }]);
    expect(await named("made_by.exists(c, c.signed_by == 'reviewers')")).toMatchObject([
      { statement: 'urn:cid:r4' },
    ]);
    expect(await named("kind == 'model'")).toBeUndefined();
  });

  test('names the statements of the item that decided, wherever it stands in its list', async () => {
    const about = withUpstream(3, { statements: ['urn:cid:other'] });
    const upstream = [...about.upstream.slice(0, 1), data, ...about.upstream.slice(1)];
    expect(
      await check(
        { require: "upstream.exists(a, a.reviews.exists(r, r.decision != ''))" },
        { ...about, upstream },
      ),
    ).toMatchObject({ result: 'pass', decidedBy: ['urn:cid:review'] });
    expect(
      await check({ require: "upstream.all(a, a.kind != 'dataset')" }, { ...about, upstream }),
    ).toMatchObject({
      result: 'fail',
      decidedBy: ['urn:cid:other'],
    });
    const kept = "upstream.filter(a, a.id == 'urn:cid:data').exists(a, a.kind == 'dataset')";
    expect(await check({ require: kept }, { ...about, upstream })).toMatchObject({
      decidedBy: ['urn:cid:registration'],
    });
  });

  test.each(['size(upstream) > 0', 'upstream.size() > 0', 'has(subject.made_by)'])(
    'rests on the items of a list that it reads as a whole: %s',
    async (require) => {
      const decided = (await check({ require }))?.decidedBy;
      expect(decided).toContain(require.startsWith('has') ? step : 'urn:cid:registration');
    },
  );

  test('applies to each thing that it is for', async () => {
    const rule = {
      for: "upstream.filter(a, a.kind == 'dataset')",
      require: "it.reviews.exists(r, r.decision == 'approved' && r.signed_by == 'reviewers')",
    };
    expect(await check(rule)).toMatchObject({
      result: 'pass',
      things: { count: 1, deciding: [data] },
      decidedBy: ['urn:cid:registration', 'urn:cid:review'],
    });
    const unreviewed = { ...artefacts, [data]: { ...artefacts[data], reviews: [] } };
    expect(await check(rule, { ...facts, things: { ...facts.things, artefacts: unreviewed } })).toMatchObject(
      {
        result: 'fail',
        missing: [{ fact: 'reviews', of: data }],
      },
    );
  });

  test('says that it cannot tell if it found nothing to apply to', async () => {
    const rule = { for: "upstream.filter(a, a.kind == 'nothing')", require: 'it.size > 0' };
    expect(await check(rule)).toMatchObject({ result: 'cannot_tell', doubts: [{ code: 'nothing_found' }] });
    expect(await check({ ...rule, may_be_empty: true })).toMatchObject({ result: 'pass' });
  });

  test('does not pass because all of nothing fulfil it', async () => {
    expect(await check({ require: "reviews.all(r, r.decision == 'approved')" })).toMatchObject({
      result: 'cannot_tell',
      doubts: [{ code: 'nothing_to_check', fact: 'reviews', of: model }],
    });
  });

  test('does not pass because all of what it has chosen fulfil it, if that is nothing', async () => {
    const require = "upstream.filter(a, a.kind == 'image').all(a, size(a.reviews) > 0)";
    expect(await check({ require })).toMatchObject({
      result: 'cannot_tell',
      doubts: [{ code: 'nothing_chosen', fact: 'upstream', of: model }],
    });
    expect(await check({ require: require.replace('image', 'dataset') })).toMatchObject({ result: 'pass' });
    const safe = { ...artefacts, [model]: { ...artefacts[model], vulnerabilities: [] } };
    const about = { ...facts, things: { ...facts.things, artefacts: safe } };
    const critical = "vulnerabilities.filter(v, v.severity == 'critical').all(v, v.state == 'not_affected')";
    expect(await check({ require: critical }, about)).toMatchObject({ result: 'pass' });
  });

  test('names the first of all that do not fulfil it', async () => {
    const small = withUpstream(3, { size: 1 });
    const big = { id: 'urn:cid:1', kind: 'dataset', size: 9 };
    const about = {
      ...small,
      things: { ...small.things, artefacts: { ...small.things.artefacts, [big.id]: big } },
    };
    expect(await check({ require: 'upstream.all(a, a.size < 9)' }, about)).toMatchObject({
      result: 'fail',
      missing: [{ fact: 'all', of: big.id }],
    });
    expect(await check({ require: 'upstream.all(a, a.size < 10)' }, about)).toMatchObject({
      result: 'pass',
      missing: [],
    });
    expect(await check({ require: "['a', 'b'].all(one, one != 'b')" })).toMatchObject({
      missing: [{ fact: 'all', of: 'b' }],
    });
    expect(await check({ require: '[1].all(one, one > 1)' })).toMatchObject({ result: 'fail', missing: [] });
  });

  test('says what is missing of what it has chosen', async () => {
    const two = "size(reviews.filter(r, r.decision == 'approved')) >= 2";
    expect(await check({ require: two })).toMatchObject({
      result: 'fail',
      missing: [{ fact: 'reviews', kind: 'artefact', of: model }],
    });
  });

  test('does not pass on a list that was cut, unless one item decides', async () => {
    const cut = { ...facts, cut: ['upstream'] };
    expect(await check({ require: "upstream.all(a, a.kind == 'dataset')" }, cut)).toMatchObject({
      result: 'cannot_tell',
    });
    expect(await check({ require: 'size(upstream) < 10' }, cut)).toMatchObject({ result: 'cannot_tell' });
    expect(await check({ require: "upstream.exists(a, a.kind == 'dataset')" }, cut)).toMatchObject({
      result: 'pass',
    });
    expect(await check({ require: "upstream.all(a, a.kind == 'model')" }, cut)).toMatchObject({
      result: 'fail',
    });
    const things = { artefacts: { x: { kinds: ['model'], cut: ['kinds', 'metadata'], metadata: { a: 1 } } } };
    const described = { ...facts, subject: 'x', things: { ...facts.things, ...things } };
    for (const [require, result] of [
      ["'model' in kinds", 'pass'],
      ["!('model' in kinds)", 'fail'],
      ["!('dataset' in kinds)", 'cannot_tell'],
      ['metadata.a == 1', 'pass'],
      ["'a' in metadata", 'pass'],
      ['!has(metadata.b)', 'cannot_tell'],
      ["!('b' in metadata)", 'cannot_tell'],
    ] as const)
      expect(await check({ require }, described), require).toMatchObject({ result });
  });

  test('does not pass on a list that was cut if it is put together with others, or is what the rule is for', async () => {
    const cut = { ...facts, cut: ['upstream'] };
    for (const rule of [
      { require: "(upstream + [subject]).all(a, a.kind != 'image')" },
      { require: "([subject] + upstream).all(a, a.kind != 'image')" },
      { require: "!upstream.map(a, a.kind).join(',').contains('image')" },
      { require: "!('image' in upstream.map(a, a.kind) + ['x'])" },
      { for: 'upstream', require: "it.kind != 'image'" },
      { for: 'upstream + [subject]', require: "it.kind != 'image'" },
    ]) {
      expect(await check(rule), JSON.stringify(rule)).toMatchObject({ result: 'pass' });
      const doubts = [{ code: 'cut', fact: 'upstream', of: model }];
      expect(await check(rule, cut), JSON.stringify(rule)).toMatchObject({ result: 'cannot_tell', doubts });
    }
    const things = { artefacts: { x: { names: ['a'], cut: ['names'] } } };
    const named = { ...facts, subject: 'x', things: { ...facts.things, ...things } };
    expect(await check({ require: "!names.join().contains('b')" }, named)).toMatchObject({
      result: 'cannot_tell',
    });
  });

  test('does not pass because all of several empty lists fulfil it', async () => {
    expect(await check({ require: '(members + members).all(a, false)' })).toMatchObject({
      result: 'cannot_tell',
      doubts: [{ code: 'nothing_to_check', fact: 'members', of: model }],
    });
    expect(await check({ require: "(upstream + members).all(a, a.kind == 'dataset')" })).toMatchObject({
      result: 'pass',
    });
  });

  test('does not pass because a member has another type than the text or number that it is compared with', async () => {
    const metadata = { license: ['AGPL-3.0'], seed: 7, debug: true, note: '' };
    const things = { artefacts: { x: { metadata } } };
    const described = { ...facts, subject: 'x', things: { ...facts.things, ...things } };
    for (const [require, result] of [
      ["metadata.license != 'AGPL-3.0'", 'cannot_tell'],
      ["!(metadata.license == 'AGPL-3.0')", 'cannot_tell'],
      ["!(metadata.license in ['AGPL-3.0'])", 'cannot_tell'],
      ["metadata.seed != '7'", 'cannot_tell'],
      ["metadata.debug != 'true'", 'cannot_tell'],
      ['metadata.debug != 1', 'cannot_tell'],
      ["metadata.license == 'MIT' || 'AGPL-3.0' in metadata.license", 'pass'],
      ["metadata.license != ''", 'pass'],
      ['metadata.seed != null', 'pass'],
      ["metadata.seed in ['7', 7]", 'pass'],
      ['metadata.seed == 7', 'pass'],
    ] as const)
      expect(await check({ require }, described), require).toMatchObject({ result });
    expect(await check({ require: "metadata.seed != '7'" }, described)).toMatchObject({
      doubts: [{ code: 'wrong_types' }],
    });
  });

  test('cannot tell of a component whose licenses nobody has said', async () => {
    const components = [{ name: 'lib', purl: 'pkg:npm/lib@1' }, { licenses: [] }];
    const things = { artefacts: { x: { components } } };
    const about = { ...facts, subject: 'x', things: { ...facts.things, ...things } };
    const rule = { for: 'components', require: "!it.licenses.exists(l, l.startsWith('AGPL'))" };
    const doubt = { code: 'not_said', fact: 'licenses', kind: 'component', of: 'x' };
    expect(await check(rule, about)).toMatchObject({
      result: 'cannot_tell',
      doubts: [doubt],
      things: { count: 2, deciding: ['pkg:npm/lib@1'] },
    });
    expect(await check({ ...rule, require: "it.licenses.all(l, l == 'MIT')" }, about)).toMatchObject({
      result: 'cannot_tell',
    });
  });

  test('cannot tell what nobody has said', async () => {
    expect(await check({ require: 'made_by.all(c, c.exit_code == 0)' })).toMatchObject({
      result: 'cannot_tell',
      doubts: [{ code: 'not_said', fact: 'exit_code', of: step }],
    });
    expect(await check({ require: 'made_by.all(c, c.metrics.loss < 1.0)' })).toMatchObject({
      result: 'cannot_tell',
      doubts: [{ code: 'not_said', fact: 'metrics.loss', kind: 'computation', of: step }],
    });
    const nested = { ...artefacts, [model]: { ...artefacts[model], metadata: { tests: { bias: 0.1 } } } };
    const described = { ...facts, things: { ...facts.things, artefacts: nested } };
    expect(await check({ require: 'metadata.tests.bias < 1' }, described)).toMatchObject({ result: 'pass' });
    expect(await check({ require: 'metadata.tests.age < 1' }, described)).toMatchObject({
      result: 'cannot_tell',
      doubts: [{ code: 'not_said', fact: 'metadata.tests.age', of: model }],
    });
    expect(await check({ require: 'has(metadata.license)' }, described)).toMatchObject({
      result: 'fail',
      missing: [{ fact: 'metadata.license', kind: 'artefact', of: model }],
    });
    expect(await check({ require: 'made_by.all(c, !has(c.exit_code))' })).toMatchObject({ result: 'pass' });
    const unknown = {
      ...artefacts,
      [model]: { ...artefacts[model], unknown: { components: 'no_such_evidence' } },
    };
    const about = { ...facts, things: { ...facts.things, artefacts: unknown } } as Facts;
    expect(await check({ require: '!has(subject.components)' }, about)).toMatchObject({
      result: 'cannot_tell',
    });
    expect(await check({ require: 'components.all(c, c.name == "a")' }, about)).toMatchObject({
      result: 'cannot_tell',
      doubts: [{ code: 'no_such_evidence', fact: 'components', of: model }],
    });
  });

  test('counts no signature that does not stand, and says if nobody knows', async () => {
    const rule = { require: "made_by.exists(c, c.signed_by == 'builder')" };
    const standing = (one: object) => {
      const signatures = [{ ...computation.signatures[0], standing: undefined, ...one }];
      const computations = { [step]: { ...computation, signatures } } as Facts['things']['computations'];
      return { ...facts, things: { ...facts.things, computations } };
    };
    expect(await check(rule, standing({ standing: 'revoked' }))).toMatchObject({ result: 'fail' });
    expect(await check(rule, standing({}))).toMatchObject({
      result: 'cannot_tell',
      doubts: [{ code: 'standing_unknown', fact: 'signed_by', of: step }],
    });
    expect(await check({ require: "made_by.exists(c, 'builder' in c.signers)" }, standing({}))).toMatchObject(
      {
        result: 'cannot_tell',
        doubts: [{ code: 'standing_unknown', fact: 'signers', of: step }],
      },
    );
  });

  test('compares times with the one time of the check', async () => {
    expect(
      await check({ require: "upstream.all(a, a.reviews.all(r, now - r.at < duration('800h')))" }),
    ).toMatchObject({
      result: 'pass',
    });
    expect(await check({ require: 'upstream.all(a, a.reviews.all(r, r.at > now))' })).toMatchObject({
      result: 'fail',
    });
  });

  test('compares numbers of JSON with whole numbers', async () => {
    expect(
      await check({ require: 'made_by.all(c, c.metrics.accuracy > 0 && c.metrics.accuracy < 1)' }),
    ).toMatchObject({
      result: 'pass',
    });
    expect(await check({ require: 'subject.size == 100' })).toMatchObject({ result: 'pass' });
    expect(await check({ require: 'made_by.all(c, c.metrics.accuracy * 100 > 90)' })).toMatchObject({
      result: 'cannot_tell',
      doubts: [{ code: 'wrong_types' }],
    });
    expect(await check({ require: 'made_by.all(c, c.metrics.accuracy * 100.0 > 90)' })).toMatchObject({
      result: 'pass',
    });
  });

  test('never passes if something was altered', async () => {
    expect(await check({ require: 'true' }, { ...facts, faults: ['urn:cid:x'] })).toMatchObject({
      result: 'cannot_tell',
      doubts: [{ code: 'altered', of: 'urn:cid:x' }],
    });
  });

  test('may fail while an exception is in force', async () => {
    const exception = { until: '2026-07-01', granted_by: 'Ada', reason: 'because' };
    const rule = { name: 'r', require: 'false', exception };
    expect(await evaluate(policyOf([rule]), facts, now)).toMatchObject({
      result: 'pass',
      rules: [{ result: 'excepted', exception }],
    });
    const over = { ...rule, exception: { ...exception, until: '2026-05-31' } };
    expect(await evaluate(policyOf([over]), facts, now)).toMatchObject({ result: 'fail' });
  });

  test.each([
    ['2026-06-30', '2026-06-30T23:59:59Z', '2026-07-01T00:00:00Z'],
    ['2026-06-30T12:00:00+02:00', '2026-06-30T09:59:59Z', '2026-06-30T10:00:00Z'],
  ])('may fail until %s, of which a day counts to its end', async (until, last, next) => {
    const exception = { until, granted_by: 'Ada', reason: 'because' };
    const policy = policyOf([{ name: 'r', require: 'false', exception }]);
    expect(await evaluate(policy, facts, new Date(last))).toMatchObject({ result: 'pass' });
    expect(await evaluate(policy, facts, new Date(next))).toMatchObject({ result: 'fail' });
  });

  test('is only shown if it is a warning', async () => {
    const rules = [
      { name: 'w', require: 'false', severity: 'warning' },
      { name: 'r', require: 'true' },
    ];
    expect(await evaluate(policyOf(rules), facts, now)).toMatchObject({
      result: 'pass',
      rules: [{ result: 'fail' }, { result: 'pass' }],
    });
  });
});

describe('the cost of a condition', () => {
  const ten = '[1,2,3,4,5,6,7,8,9,10]';
  const nested = (depth: number, inner: string): string =>
    depth === 0 ? inner : `${ten}.all(x${depth}, ${nested(depth - 1, inner)})`;

  test('is bounded, so that a loop over millions of items is stopped', async () => {
    expect(await check({ require: nested(8, 'true') })).toMatchObject({
      result: 'cannot_tell',
      doubts: [{ code: 'too_costly' }],
    });
    expect(await check({ require: `true || ${nested(8, 'true')}` })).toMatchObject({ result: 'pass' });
    expect(await check({ require: `${nested(8, 'true')} || true` })).toMatchObject({ result: 'cannot_tell' });
    expect(
      await check({ require: 'upstream.all(a, upstream.all(b, a.id != b.id || true))' }, withUpstream(2_000)),
    ).toMatchObject({
      result: 'cannot_tell',
    });
  });

  test('lets lists of 20,000 items be filtered and mapped', async () => {
    const require = "size(upstream.filter(a, a.kind == 'dataset').map(a, a.id)) == 20000";
    expect(await check({ require }, withUpstream(20_000))).toMatchObject({ result: 'pass' });
  });

  test('is bounded for all rules of a policy together', async () => {
    const require = 'upstream.all(a, upstream.all(b, true))';
    const rules = Array.from({ length: 100 }, (_, at) => ({ name: `r${at}`, require }));
    const { result, rules: judged } = await evaluate(policyOf(rules), withUpstream(200), now);
    expect(result).toBe('cannot_tell');
    expect(judged[0]).toMatchObject({ result: 'pass' });
    expect(judged.at(-1)).toMatchObject({ result: 'cannot_tell', doubts: [{ code: 'too_costly' }] });
  });

  test('counts long texts', async () => {
    const doubled = Array.from({ length: 30 }).reduce<string>(
      (text) => `[${text}].map(s, s + s)[0]`,
      "'0123456789'",
    );
    expect(await check({ require: `size(${doubled}) > 0` })).toMatchObject({ result: 'cannot_tell' });
    expect(await check({ require: "'aaaaaaaa'.matches('(a+)+$')" })).toMatchObject({ result: 'pass' });
    expect(await check({ require: "'aaaaaaaa'.matches('^a{8}$')" })).toMatchObject({ result: 'pass' });
    expect(await check({ require: `'a'.matches('${'a{1000}'.repeat(1_400)}')` })).toMatchObject({
      result: 'cannot_tell',
      doubts: [{ code: 'too_costly' }],
    });
  });
});
