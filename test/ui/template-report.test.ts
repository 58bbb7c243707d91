import { describe, expect, test } from 'vitest';
import { check } from '../../src/domain/integrity/policies/check.ts';
import type { Facts } from '../../src/domain/integrity/policies/facts.ts';
import { fillTemplate } from '../../src/domain/integrity/policies/fill-template.ts';
import type { Policy } from '../../src/domain/integrity/policies/read-policy.ts';
import { readPolicy } from '../../src/domain/integrity/policies/read-policy.ts';
import { templatePage } from '../../src/ui/template-report/template-page.ts';
import { templateNamed, templateNames } from '../../src/ui/template-report/templates.ts';

const now = new Date('2026-06-01T00:00:00Z');
const all = templateNames.map((name) => [name, templateNamed(name) ?? expect.fail()] as const);

function exampleOf({ document }: Policy, expected: string): Facts {
  const example = document.examples?.find(({ expect: result }) => result === expected);
  return structuredClone(example?.facts) as unknown as Facts;
}

async function filled(policy: Policy, ...facts: Facts[]) {
  return await fillTemplate(policy, { check: await check(policy, { facts, isCut: false }, now), facts });
}

async function pageOf(policy: Policy, ...facts: Facts[]): Promise<string> {
  const source = { kind: 'service', url: 'http://localhost:3050' } as const;
  return await templatePage({ ...(await filled(policy, ...facts)), source });
}

/** The rules that do not pass. */
async function gaps(policy: Policy, facts: Facts): Promise<string[]> {
  const { check: answer } = await filled(policy, facts);
  return (answer.verdicts[0]?.rules ?? []).filter(({ result }) => result !== 'pass').map(({ name }) => name);
}

/** The text of a page, without its tags. */
const words = (page: string) =>
  page
    .replaceAll(/<style>.*?<\/style>|<wbr>|<[^>]*>/gs, (tag) => (tag === '<wbr>' ? '' : ' '))
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ');

describe.each(all)('the template %s', (_, policy) => {
  test('has no gap if everything is there, and only gaps if nothing is known', async () => {
    expect(await gaps(policy, exampleOf(policy, 'pass'))).toEqual([]);
    const nothing = await gaps(policy, exampleOf(policy, 'fail'));
    // What was never declared cannot be unsigned.
    expect(policy.rules.map(({ name }) => name).filter((name) => !nothing.includes(name))).toEqual(
      policy.rules.filter(({ may_be_empty }) => may_be_empty).map(({ name }) => name),
    );
  });

  test('lists exactly the demands whose statement is taken away', async () => {
    const full = exampleOf(policy, 'pass');
    const { metadata = {} } = full.things.artefacts[full.subject] ?? {};
    for (const key of Object.keys(metadata)) {
      const facts = structuredClone(full);
      Reflect.deleteProperty(facts.things.artefacts[full.subject]?.metadata ?? {}, key);
      const naming = policy.rules.filter((rule) => rule.require.includes(`has(metadata.${key})`));
      const only = naming.filter(
        ({ require }) => !/(?:components|provenance|upstream|computations|made_by)\.exists/.test(require),
      );
      expect(await gaps(policy, facts), key).toEqual(only.map(({ name }) => name));
    }
  });

  test('gives a page that lists its gaps first, and each of its demands in a chapter', async () => {
    const text = words(await pageOf(policy, exampleOf(policy, 'fail')));
    expect(text.indexOf('This template is an aid')).toBeLessThan(text.indexOf('Gaps'));
    for (const { name, article } of policy.rules) {
      expect(text.split(name).length).toBeGreaterThanOrEqual(2);
      if (article !== undefined) expect(text).toContain(article);
    }
    expect(text).toContain('There are gaps (fail)');
    expect(words(await pageOf(policy, exampleOf(policy, 'pass')))).toContain('Every demand is met.');
  });
});

test('a declaration meets a demand as metadata does, and a point that does not apply is declared', async () => {
  const policy = templateNamed('eu-ai-act-annex-iv') ?? expect.fail();
  const facts = exampleOf(policy, 'pass');
  const model = facts.things.artefacts[facts.subject] as Record<string, unknown>;
  delete (model.metadata as Record<string, unknown>).intended_purpose;
  delete (model.metadata as Record<string, unknown>).product_illustrations;
  const declared = (text: string) => ({
    text,
    at: '2026-05-01T00:00:00Z',
    statements: ['urn:cid:declared'],
    signatures: [{ signer: 'did:web:example.com', kind: 'credential', standing: 'good' }],
  });
  model.declarations = [
    declared('Annex IV 1(a): scores credit applications'),
    declared('Annex IV 1(f): not applicable'),
  ];
  expect(await gaps(policy, facts)).toEqual([]);
  expect(words(await pageOf(policy, facts))).toContain('scores credit applications');
});

describe('a page', () => {
  const policy = (
    chapters: readonly object[],
    rules: readonly object[] = [{ name: 'r', require: 'true' }],
  ) => {
    const read = readPolicy(JSON.stringify({ cairn: 'policy/1', name: 'own', rules, chapters }));
    return 'policy' in read ? read.policy : expect.fail(JSON.stringify(read.problems));
  };

  test('links each demand to its statements, with signer, standing and place in the log', async () => {
    const own = templateNamed('eu-ai-act-annex-iv') ?? expect.fail();
    const page = await pageOf(own, exampleOf(own, 'pass'));
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    const anchors = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    expect(links.filter((id) => !anchors.has(id))).toEqual([]);
    expect(anchors.size).toBe([...page.matchAll(/ id="([^"]+)"/g)].length);
    expect(words(page)).toMatch(
      /\[\d+\] the computation python train\.py training CI did:key:z6MkExample as its registrant, Data Integrity proof stands entry 4 of 9/,
    );
  });

  test('has several subjects apart', async () => {
    const own = templateNamed('model-card') ?? expect.fail();
    const page = await pageOf(own, exampleOf(own, 'pass'), exampleOf(own, 'fail'));
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(words(page)).toContain('model.bin and 1 more');
  });

  test('says how to check it, by the file that the reader has', async () => {
    const own = templateNamed('model-card') ?? expect.fail();
    const [one, two] = [exampleOf(own, 'pass'), exampleOf(own, 'fail')];
    const byService = await pageOf(own, one);
    expect(byService).toContain(
      '<a href="http://localhost:3050/ui/verify" rel="noreferrer">the verifier</a>',
    );
    const source = { kind: 'manifest', file: 'temporary.car', size: 1, digest: 'ab' } as const;
    const both = await templatePage({ ...(await filled(own, one, two)), source, car: 'card.car' });
    expect(words(both)).toMatch(/Made from the evidence in card\.car ?, offline/);
    expect(both).not.toContain('temporary.car');
    expect(both).toContain('cairn report card.car --template model-card -o again.html');
    expect(both).toContain('cairn check card.car --policy model-card<');
    const first = await templatePage({ ...(await filled(own, one)), source });
    expect(first).toMatch(/cairn report \S+ --manifest temporary\.car --template model-card -o again\.html/);
  });

  test('escapes foreign text of facts and policies, and links only inside itself and to the verifier', async () => {
    const evil = `<script>alert(1)</script>"><img src=x onerror=alert(1)>\u202e javascript:x`;
    const facts = exampleOf(templateNamed('cyber-resilience-act') ?? expect.fail(), 'pass');
    const text = JSON.stringify(facts, (key, value) =>
      typeof value === 'string' &&
      !key.match(/^(?:id|standing|kind)$/) &&
      !value.startsWith('urn:cid:') &&
      !/^\d{4}/.test(value)
        ? evil
        : value,
    );
    const hostile = JSON.parse(text) as Facts;
    const show = [
      'subject',
      'metadata',
      'components',
      'vulnerabilities',
      'computations',
      'agents',
      'provenance',
      'signatures',
    ].map((value) => ({ label: evil.slice(0, 100), value }));
    const rules = [
      { name: evil.slice(0, 99), require: 'false', message: `${evil} \`${evil}\``, article: evil },
    ];
    const section = {
      title: evil.slice(0, 100),
      text: evil,
      article: evil,
      rules: [evil.slice(0, 99)],
      show,
    };
    const page = await pageOf(policy([{ ...section, sections: [section] }], rules), hostile);
    const names = new Set([...page.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, name]) => name));
    for (const name of ['script', 'img', 'iframe', 'form', 'link', 'base']) expect(names).not.toContain(name);
    expect(page).not.toContain('\u202e');
    const tags = [...page.matchAll(/<[a-z][^>]*>/gi)].map(([tag]) =>
      tag.replaceAll(/href="(?:#[\w-]+|http:\/\/localhost:3050\/ui\/verify)"/g, ''),
    );
    expect(tags.join('').replaceAll(/"[^"]*"/g, '""')).not.toMatch(/\son\w+=|\b(?:src|href)=/i);
    expect(page).toContain('default-src &#39;none&#39;');
  });

  test('is not a pass if there are more subjects than were checked', async () => {
    const own = templateNamed('model-card') ?? expect.fail();
    const facts = [exampleOf(own, 'pass')];
    const answer = await check(own, { facts, isCut: true }, now);
    const made = await fillTemplate(own, { check: answer, facts });
    expect(made.check.result).toBe('cannot_tell');
    const source = { kind: 'manifest', file: 'a.car', size: 1, digest: 'ab' } as const;
    expect(words(await templatePage({ ...made, source }))).toContain(
      'There are more subjects than were checked.',
    );
  });
});
