import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { useService } from '../http/service.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = ['README.md', ...globSync('docs/*.md', { cwd: root })];
const service = useService();

/** What GitHub makes of a heading: lower case, hyphens for spaces, no punctuation. */
function anchors(page: string): string[] {
  const headings = [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase());
  return headings.map((heading) => heading.replaceAll(/[^\w\- ]/g, '').replaceAll(' ', '-'));
}

test('README is shorter than 200 lines', () => {
  expect(read('README.md').split('\n').length).toBeLessThan(200);
});

test('the statement of README gets the CIDs that it shows', async () => {
  const readme = read('README.md');
  const [, body = ''] = /-X PUT \S+\/statements\/v1 .* -d '([^']+)'/.exec(readme) ?? [];
  const [, shown = ''] = /```json\n([^`]+)```/.exec(readme) ?? [];
  const answer = await service.app.request('/statements/v1', {
    method: 'PUT',
    body,
    headers: { 'content-type': 'application/json' },
  });
  expect(answer.status).toBe(201);
  expect(await answer.json()).toEqual(JSON.parse(shown));
});

test('the credential of docs/credentials.md is allocated, and revoked by its entry', async () => {
  const [, credential = ''] = /--data '(\{[^']+\})'/.exec(read('docs/credentials.md')) ?? [];
  const post = (path: string, body: string) =>
    service.app.request(path, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  const allocated = await post('/credentials/v1/allocate', credential);
  expect(allocated.status).toBe(200);
  const { id, credentialStatus } = (await allocated.json()) as { id: string; credentialStatus: unknown[] };
  const entry = JSON.stringify({ credentialStatus: credentialStatus[0] });
  expect((await post(`/credentials/v1/revoke/${id}`, entry)).status).toBe(200);
});

test.each(pages)('the links of %s lead somewhere', (page) => {
  for (const [, path = '', anchor] of read(page).matchAll(/\]\(([^)#:]*)(?:#([^)]+))?\)/g)) {
    const target = path === '' ? page : join(dirname(page), path);
    expect(existsSync(join(root, target)), `${page}: ${path}`).toBe(true);
    if (anchor !== undefined) expect(anchors(target)).toContain(anchor);
  }
});
