import { html } from 'hono/html';
import type { ShownKinds } from '../contract/words/kinds.ts';
import { shownKinds } from '../domain/integrity/kinds/shown.ts';
import type { Html } from './header.ts';

/** Allows only files and answers of this service, and no code or style inside a page. */
export const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const commonStyles = ['header.css', 'page.css', 'parts.css'];

/** Of the files. It counts for workers only, which may run WebAssembly: pages themselves may not. */
export const filePolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'";

/** How pages show statements, for `data-kinds`. */
export const kindsJson = JSON.stringify(shownKinds satisfies ShownKinds);

interface PageParts {
  readonly title: string;
  readonly body: Html;
  /** Names of page files beside those that all pages have. */
  readonly styles: readonly string[];
  readonly scripts?: readonly string[];
}

/** A whole page. `html` escapes every inserted value that is not made by `html` itself. */
export async function page({ title, body, styles, scripts = [] }: PageParts): Promise<string> {
  const links = html`${[...commonStyles, ...styles].map((style) => html`<link rel="stylesheet" href="/ui/files/${style}">`)}
${scripts.map((script) => html`<script type="module" src="/ui/files/${script}"></script>`)}`;
  return await pageDocument(title, links, body);
}

/** @param links the styles and scripts in its head. */
export async function pageDocument(title: string, links: Html, body: Html): Promise<string> {
  return String(
    await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Cairn</title>
<link rel="icon" href="/ui/files/cairn.svg">
${links}
</head>
<body>
${body}
</body>
</html>
`,
  );
}
