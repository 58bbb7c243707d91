import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { factsFile, factsPage } from '../../docs/facts-page.ts';

test('docs/facts.md documents the facts as "npm run docs" writes it', () => {
  expect(readFileSync(factsFile, 'utf8')).toBe(factsPage());
});
