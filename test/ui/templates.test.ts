import { expect, test } from 'vitest';
import { templateNamed, templateNames } from '../../src/ui/template-report/templates.ts';

const all = templateNames.map((name) => [name, templateNamed(name)] as const);

test('the templates are those that the documentation names', () => {
  expect(templateNames).toEqual([
    'cyber-resilience-act',
    'eu-ai-act-annex-iv',
    'eu-ai-act-article-12',
    'model-card',
    'slsa-build-levels',
  ]);
  expect(templateNamed('../templates/model-card')).toBeUndefined();
});

test.each(all)('%s can be read, and says first that it is an aid', (name, policy) => {
  expect(policy?.document).toMatchObject({
    name,
    description: expect.stringMatching(/^This template is an aid/),
  });
});

test.each(all)('%s has each rule in a chapter, with what to add', (_, policy) => {
  const chapters = policy?.chapters.flatMap((one) => [one, ...one.sections]) ?? [];
  const used = new Set(chapters.flatMap(({ rules }) => rules));
  expect(policy?.rules.filter(({ name }) => !used.has(name))).toEqual([]);
  expect(policy?.rules.filter(({ message }) => message === undefined)).toEqual([]);
});

test.each(all.filter(([name]) => /^(?:eu|cyber|slsa)/.test(name)))(
  '%s names the article of each demand',
  (_, policy) => {
    const unnamed = policy?.rules.filter(
      ({ article, severity }) => article === undefined && severity === 'error',
    );
    expect(unnamed).toEqual([]);
  },
);
