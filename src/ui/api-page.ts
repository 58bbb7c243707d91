import { html } from 'hono/html';
import { apiReference, header, type Link } from './header.ts';

/** The page of the interactive API reference. It has a policy of its own, and only the header of the other pages. */
export async function apiPage(links: readonly Link[]): Promise<string> {
  return String(
    await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API · Cairn</title>
<link rel="icon" href="/ui/files/cairn.svg">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="/ui/files/header.css">
<link rel="stylesheet" href="/ui/files/api.css">
</head>
<body>
${header({ here: apiReference, links, searched: null })}
<main id="api"></main>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`,
  );
}
