import { dirname, extname, join } from 'node:path';

// The script of the verifier: the code of `cairn verify` for browsers. It is the same in each process of a version.

const source = join(import.meta.dirname, '../..');
/** Sources are TypeScript, and JavaScript in the package. */
const ending = extname(import.meta.filename);
const own = (path: string) => join(source, `${path}${ending}`);

/** What stands in for modules that need Node.js. */
const platform = 'verifier/platform';
const replaced: ReadonlyMap<string, string> = new Map([
  ['node:crypto', own(`${platform}/crypto`)],
  ['node:events', own(`${platform}/events`)],
  ['node:os', own(`${platform}/os`)],
  ['node:path', own(`${platform}/path`)],
  ['@napi-rs/blake-hash', own(`${platform}/blake3`)],
  ['node:fs/promises', own('verifier/dropped-files')],
  [own('cli/client/local-files'), own('verifier/dropped-files')],
  [own('../workers/threads'), own('verifier/threads')],
  [own('../workers/evidence-pool'), own('verifier/evidence-pool')],
]);

/** Browsers of the beginning of 2024. */
const target = ['chrome121', 'firefox122', 'safari17.2'];

export async function verifierScript(): Promise<string> {
  const { build, stop } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [own('verifier/main')],
    inject: [own(`${platform}/globals`)],
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target,
    // The image has no tsconfig.json, and makes the same script.
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true, useDefineForClassFields: true } },
    define: { SharedArrayBuffer: 'ArrayBuffer', 'import.meta.url': '"https://cairn.invalid"' },
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'silent',
    write: false,
    plugins: [
      {
        name: 'for browsers',
        setup({ onResolve }) {
          onResolve({ filter: /./ }, ({ path, importer }) => {
            const wanted = path.startsWith('.') ? join(dirname(importer), path) : path;
            const instead = replaced.get(wanted);
            return instead === undefined ? undefined : { path: instead };
          });
        },
      },
    ],
  });
  // Ends its process, which would wait for more.
  await stop();
  return outputFiles[0]?.text ?? '';
}
