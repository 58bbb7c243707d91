import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';

// Writes dist/, which `npm pack` packs: the sources without types, because Node strips none below node_modules.

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
/** Scripts of pages. The service strips their types when it serves them. */
const served = /^src\/(?:ui\/browser|contract\/words)\//;

rmSync(dist, { recursive: true, force: true });
const { name, version, description, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
write('package.json', JSON.stringify({ name, version, description, type }, null, 2));
for (const path of globSync('{src,workers,queues}/**', { cwd: root })) {
  if (!statSync(join(root, path)).isFile() || /tsconfig\.json$|\.d\.ts$/.test(path)) continue;
  const isScript = path.endsWith('.ts');
  if (isScript) write(path.replace(/\.ts$/, '.js'), withoutTypes(path));
  if (!isScript || served.test(path)) copy(path);
}

/** The same lines, so that the places in stack traces are those of the sources. Paths of other scripts end in `.js`. */
function withoutTypes(path: string): string {
  const code = stripTypeScriptTypes(readFileSync(join(root, path), 'utf8'));
  return code.replaceAll(/(['"])(\.{1,2}\/[^'"\n]*)\.ts\1/g, '$1$2.js$1').replaceAll(/[ \t]+$/gm, '');
}

function write(path: string, text: string): void {
  const file = join(dist, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function copy(path: string): void {
  const file = join(dist, path);
  mkdirSync(dirname(file), { recursive: true });
  copyFileSync(join(root, path), file);
}
