import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { manifestForm } from '../../src/cli/client/manifest-form.ts';
import { temporaryFolder } from '../temporary-folder.ts';

test.each([
  ['a manifest', '{"version": "3", "contexts": {}, "statements": {}}', 'json'],
  ['one with its members in another order', '{"issuer": "x", "version": "3", "statements": {}}', 'json'],
  ['one that is cut after its version', '{"version": "3"', 'json'],
  ['one that is cut later', '{"version": "3", "statements": {"urn', 'json'],
  ['the results of a scanner', '{"version": "2.1.0", "runs": []}', undefined],
  ['a dependency snapshot', '{"version": 0, "job": {}, "detector": {}, "manifests": {}}', undefined],
  ['a list of JSON-LD', '{"@context": [], "statements": []}', undefined],
])('%s is told by its members', async (_, text, form) => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'file.json');
  writeFileSync(path, text);
  expect(await manifestForm(path)).toBe(form);
});
