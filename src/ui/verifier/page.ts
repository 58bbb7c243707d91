import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { html, raw } from 'hono/html';
import packageJson from '../../../package.json' with { type: 'json' };
import { verifierScript } from './bundle.ts';

let made: Promise<string> | undefined;

/** A page that verifies dropped files like `cairn verify`. It needs no other file and no network. */
export function verifierPage(): Promise<string> {
  made ??= makePage().catch((error) => {
    made = undefined;
    throw error;
  });
  return made;
}

const styles = ['header.css', 'page.css', 'parts.css', 'verifier/verifier.css'];

async function makePage(): Promise<string> {
  const browser = join(import.meta.dirname, '../browser');
  const texts = await Promise.all(styles.map((name) => readFile(join(browser, name), 'utf8')));
  const [script, style] = [await verifierScript(), texts.join('\n')];
  const svg = await readFile(join(browser, 'cairn.svg'), 'utf8');
  const logo = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  return String(
    await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyFor(script, style)}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Verify · Cairn</title>
<link rel="icon" href="${logo}">
<style>${raw(style)}</style>
</head>
<body>
<header><div class="brand"><img src="${logo}" alt="" width="24" height="24"><b>Cairn</b> <span>verifier ${packageJson.version}</span></div></header>
${raw(body)}
<script id="script">${raw(script)}</script>
</body>
</html>
`,
  );
}

/** Nothing outside of the page can be reached, by scripts of the page and of its workers. WebAssembly hashes. */
function policyFor(script: string, style: string): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return `default-src 'none'; script-src ${hash(script)} 'wasm-unsafe-eval'; worker-src blob:; style-src ${hash(style)}; img-src data:; base-uri 'none'; form-action 'none'`;
}

const body = `<main class="reading">
<h1>Verify evidence</h1>
<p>Drop a manifest, a receipt, a credential or a statement, and the keys and log policies that you trust. A policy beside a manifest
decides whether its evidence is enough. Everything is computed again on this machine: this page cannot reach any network.</p>
<div id="choose" class="place"><span>Drop files anywhere on this page, or</span></div>
<label for="trusted">Whom you trust: DIDs and keys of logs, if you have no files with their keys</label>
<textarea id="trusted" rows="2" spellcheck="false" autocomplete="off" placeholder="did:key:z6Mk… or cairn.example/log/v1+1b2e3f40+AQ…"></textarea>
<div id="checking" hidden>
<label for="subject">What the policies decide about: an identifier or a name, if it is not the results of the manifest</label>
<input id="subject" spellcheck="false" autocomplete="off">
<label for="service">The DIDs of the service, if the policies have the signer “service”</label>
<input id="service" spellcheck="false" autocomplete="off" placeholder="did:web:cairn.example">
</div>
<ul id="files"></ul>
<div id="again" hidden></div>
<div id="status" role="status"></div>
<div id="outcomes" aria-live="polite"></div>
</main>`;
