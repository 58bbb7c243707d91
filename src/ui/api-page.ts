import { html } from 'hono/html';
import { apiReference, header, type Link } from './header.ts';
import { pageDocument } from './page.ts';

/** The page of the interactive API reference. It has a policy of its own, and only the header of the other pages. */
export async function apiPage(links: readonly Link[]): Promise<string> {
  return await pageDocument(
    'API',
    html`<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="/ui/files/header.css">
<link rel="stylesheet" href="/ui/files/api.css">`,
    html`${header({ here: apiReference, links })}
<div id="api"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>`,
  );
}
