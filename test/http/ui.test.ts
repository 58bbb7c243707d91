import { describe, expect, it } from 'vitest';
import { send, useService } from './service.ts';

const service = useService();
const cid = 'bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu';
const get = async (path: string, headers?: Record<string, string>) =>
  await send(service, 'GET', path, undefined, headers);

describe('/ui/lineage/{id}', () => {
  it.each([
    [cid, `urn:cid:${cid}`],
    [`urn:cid:${cid}`, `urn:cid:${cid}`],
    ['5F1F1C8E-3F6A-4F0E-9D7B-0D6F3F2A9B11', 'urn:uuid:5f1f1c8e-3f6a-4f0e-9d7b-0d6f3f2a9b11'],
    ['did:web:example.com/path?a=b#c', 'did:web:example.com/path?a=b#c'],
  ])('is a page about %s, whether or not it is known', async (given, id) => {
    const page = await get(`/ui/lineage/${encodeURIComponent(given)}`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
    expect(page.text).toContain(`data-id="${id}"`);
  });

  it('loads only files of this service, and has no inline code or style', async () => {
    const { headers, text } = await get(`/ui/lineage/${cid}`);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(text).not.toMatch(/https?:\/\/|<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
  });

  it.each(['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', 'nonsense', '../../etc', "'--"])(
    'answers 400 for %s with a page that explains the problem and asks again',
    async (given) => {
      const page = await get(`/ui/lineage/${encodeURIComponent(given)}`);
      expect([page.status, page.headers.get('content-type')]).toEqual([400, 'text/html; charset=UTF-8']);
      expect(page.text).toContain('is neither a CID, nor a UUID, nor a DID.');
      expect(page.text).toContain('<input id="id" name="id"');
      expect(page.text).not.toMatch(/<script(?! type="module" src="\/ui\/files\/)|<img src=x/);
    },
  );

  it('escapes a valid identifier that looks like markup', async () => {
    const page = await get(`/ui/lineage/${encodeURIComponent(`did:web:a/"><script>alert('1')</script>`)}`);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('<script>');
    expect(page.text).toContain(
      'data-id="did:web:a/&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"',
    );
  });

  it('answers 400 for a path that is too long or has invalid percent-encoding', async () => {
    const long = await get(`/ui/lineage/did:web:${'a'.repeat(3_000)}`);
    expect(long.status).toBe(400);
    expect(long.text).toContain('at most 2000 characters');
    expect((await get('/ui/lineage/%E0%A4%A')).status).toBe(400);
  });
});

describe('/ui/lineage', () => {
  it('asks for an identifier and redirects to its page', async () => {
    const page = await get('/ui/lineage');
    expect([page.status, page.headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringContaining("script-src 'self'"),
    ]);
    const found = await get(`/ui/lineage?id=${encodeURIComponent(' did:web:a/b ')}`);
    expect([found.status, found.headers.get('location')]).toEqual([303, '/ui/lineage/did%3Aweb%3Aa%2Fb']);
  });

  it('searches for anything else', async () => {
    const found = await get('/ui/lineage?id=model.bin');
    expect([found.status, found.headers.get('location')]).toEqual([303, '/ui/search?q=model.bin']);
  });
});

describe('/ui/files/{name}', () => {
  type Files = Map<string, Awaited<ReturnType<typeof get>>>;
  let files: Promise<Files> | undefined;
  const loaded = () => (files ??= load());

  /** All files that pages and their scripts load. */
  async function load(): Promise<Files> {
    const pages = await Promise.all(['/ui', '/ui/lineage', `/ui/lineage/${cid}`].map((path) => get(path)));
    const paths = pages.flatMap(({ text }) => [...text.matchAll(/"(\/ui\/files\/[^"]+)"/g)]);
    const queue = new Set(paths.map(([, path = '']) => path));
    const files: Files = new Map();
    for (const path of queue) {
      const file = await get(path);
      files.set(path, file);
      const imports = file.text.matchAll(/(?:from|import) '([./][^']+\.[jt]s)'/g);
      for (const [, specifier = ''] of /\.[jt]s$/.test(path) ? imports : [])
        queue.add(new URL(specifier, `http://host${path}`).pathname);
    }
    return files;
  }

  it('has all files that the page loads, with ETags', async () => {
    const files = await loaded();
    expect([...files.keys()]).toEqual(
      expect.arrayContaining(
        ['lineage/lineage.ts', 'words/trust.ts', 'dagre.js', 'panzoom.js', 'page.css', 'cairn.svg'].map(
          (name) => `/ui/files/${name}`,
        ),
      ),
    );
    for (const [path, { status, headers }] of files) {
      expect([path, status, headers.get('x-content-type-options')]).toEqual([path, 200, 'nosniff']);
      expect(headers.get('cache-control')).toBe('no-cache');
      const etag = headers.get('etag') ?? '';
      const again = await get(path, { 'if-none-match': `"other", ${etag}` });
      expect([again.status, again.text]).toEqual([304, '']);
    }
  });

  it('imports every package by its address', async () => {
    for (const [path, { text }] of await loaded()) {
      if (/\.[jt]s$/.test(path))
        expect([path, text.match(/^import .* from '(?![./]).*/gm)]).toEqual([path, null]);
    }
  });

  it.each([
    'nothing.js',
    'lineage.ts',
    'lineage',
    'tsconfig.json',
    '..%2Ffiles.ts',
    '..%2f..%2f..%2fpackage.json',
    'constructor',
    'toString.js',
  ])('has no %s', async (name) => {
    expect((await get(`/ui/files/${name}`)).status).toBe(404);
  });
});

describe('a link on a page of another site', () => {
  const followed = {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  };

  it('opens the pages', async () => {
    for (const [path, status] of [
      [`/ui/lineage/${cid}`, 200],
      ['/ui/lineage', 200],
      ['/', 302],
      ['/ui', 200],
      ['/ui/graph', 302],
    ] as const) {
      expect([path, (await get(path, followed)).status]).toEqual([path, status]);
    }
  });

  it('does not open data, or pages in a frame or by script', async () => {
    for (const path of [`/lineage/v1/${cid}`, '/statements/v1', '/ui/files/lineage/lineage.ts', '/uix']) {
      expect([path, (await get(path, followed)).status]).toEqual([path, 403]);
    }
    for (const headers of [
      { ...followed, 'sec-fetch-dest': 'iframe' },
      { ...followed, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
      { ...followed, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'document' },
      { ...followed, host: 'evil.example' },
      { ...followed, origin: 'https://evil.example' },
    ]) {
      expect([headers, (await get(`/ui/lineage/${cid}`, headers)).status]).toEqual([headers, 403]);
    }
    expect((await send(service, 'POST', `/ui/lineage/${cid}`, {}, followed)).status).toBe(403);
  });
});
