import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** A file of the interactive API reference, served from this machine. */
export interface Asset {
  readonly type: string;
  readonly body: Uint8Array | string;
}

const start = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
SwaggerUIBundle({ url: 'openapi.json', dom_id: '#api', deepLinking: true, validatorUrl: null, tryItOutEnabled: true });
`;

const packaged: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
};

/** Loads only files of this service. Swagger UI needs inline styles and data URLs. */
export const referencePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

export async function referenceAsset(name: string): Promise<Asset | undefined> {
  if (name === 'start.js') return { type: 'text/javascript', body: start };
  const type = Object.hasOwn(packaged, name) ? packaged[name] : undefined;
  if (!type) return undefined;
  return { type, body: await readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`))) };
}
