import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { verifierPage } from '../../src/ui/verifier/page.ts';
import { walk } from './page-walk.ts';
import { putBlob, send, useService } from './service.ts';

const service = useService();
const get = async (path: string) => await send(service, 'GET', path);
const unknown = 'bagb6qaq6eck62dk7wabsscacsqyri7io4z7bku6r6kagharr62qbbdhnpwwwc';

describe('the pages of graphs and statements', () => {
  it.each([
    [`/ui/graph/${randomUUID()}`, 404, 'There is no graph'],
    [`/ui/statement/${unknown}`, 404, 'There is no statement'],
    [`/ui/statement/${cidOf(codecs.raw, 'bytes').text}`, 404, 'There is no statement'],
    ['/ui/graph/nonsense', 400, 'is not a UUID'],
    ['/ui/statement/nonsense', 400, 'CID'],
    [`/ui/statement/${'b'.repeat(10_000)}`, 400, 'at most 2000 characters'],
    [`/ui/graph/${encodeURIComponent('"><script>alert(1)</script>')}`, 400, 'is not a UUID'],
  ])('explain %.60s with status %i, and offer a search', async (path, status, sentence) => {
    const page = await get(path);
    expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=UTF-8']);
    expect(page.text).toContain(sentence);
    expect(page.text).toContain('<form action="/ui"');
    expect(page.text).not.toContain('<script>');
  });

  it('link to pages of the integrity service alone, and only to some that exist', async () => {
    const found = await walk((path) => service.app.request(path), ['/ui', '/ui/lineage', '/ui?q=name']);
    expect([...found].filter(([, status]) => status >= 400)).toEqual([]);
    expect([...found.keys()]).toContain('/docs');
  });

  it('are named by their beginning, which leads to the start page', async () => {
    for (const path of ['/', '/ui/graph', '/ui/statement'])
      expect([path, (await get(path)).headers.get('location')]).toEqual([path, '/ui']);
  });

  it('send a failed sign-in, which comes back to the start page, to the page that explains it', async () => {
    const { headers } = await get('/ui?error=expired');
    expect(headers.get('location')).toBe('/ui/sign-in?error=expired');
  });
});

describe('the verifier', () => {
  it('is the page that the command prints, for everybody, and its policy forbids every connection', async () => {
    const { status, text, headers } = await get('/ui/verify');
    expect(status).toBe(200);
    expect(text === (await verifierPage())).toBe(true);
    expect(headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
    const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(text) ?? [];
    expect(policy?.replaceAll('&#39;', "'")).toMatch(
      /^default-src 'none'; script-src 'sha256-[^ ]+' 'wasm-unsafe-eval'; worker-src blob:; style-src 'sha256-/,
    );
    expect(policy).not.toContain('connect-src');
  });
});

describe('a search on the start page', () => {
  const target = async (q: string) =>
    (await get(`/ui?${new URLSearchParams({ q })}`)).headers.get('location');

  it('goes to the page of an identifier, and to the bytes with a hash', async () => {
    const graph = randomUUID();
    await send(service, 'PUT', '/graph/v1', { graph_id: graph, name: 'A graph' });
    const { json } = await send(
      service,
      'PUT',
      '/statements/v1/create/did/did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp',
    );
    const { text: stored } = cidOf(codecs.raw, 'stored');
    expect(await target(` ${graph} `)).toBe(`/ui/graph/${graph}`);
    expect(await target(`urn:cid:${json.rdfc_cid}`)).toBe(`/ui/statement/${json.rdfc_cid}`);
    expect(await target(json.jcs_cid)).toBe(`/ui/statement/${json.jcs_cid}`);
    expect(await target(stored)).toBe(`/ui/lineage/${stored}`);
    expect(await target(unknown)).toBe(`/ui/lineage/${unknown}`);
    expect(await target('did:web:a/b')).toBe('/ui/lineage/did%3Aweb%3Aa%2Fb');
  });

  it('finds bytes by either hash function', async () => {
    const bytes = 'id,text\n1,hello\n';
    const { cid } = (await putBlob(service, bytes, '?multihash=sha2-256')).json;
    const hex = createHash('sha256').update(bytes).digest('hex');
    expect(await target(`sha256:${hex}`)).toBe(`/ui/lineage/${cid}`);
  });

  it('keeps a name in the form, and refuses one of 10 kB', async () => {
    const page = await get(`/ui?${new URLSearchParams({ q: '"><b>model', type: 'Foreign<Kind>' })}`);
    expect(page.text).toContain('value="&quot;&gt;&lt;b&gt;model"');
    expect(page.text).toContain('<option value="Foreign&lt;Kind&gt;" selected>');
    const long = await get(`/ui?q=${'x'.repeat(10_000)}`);
    expect([long.status, long.text.includes('at most 2000 characters')]).toEqual([400, true]);
  });
});
