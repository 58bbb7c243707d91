import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, posix } from 'node:path';
import { initSync, parse } from 'es-module-lexer';

/** Which files belong to a layer, and the layers that they may import beside their own. */
interface Layer {
  /** Paths from the root: files, and folders with a slash at their end. */
  readonly files: readonly string[];
  readonly below: readonly string[];
  /** Layers of which it may import types, and nothing else. */
  readonly types?: readonly string[];
}

export interface ImportRules {
  /** First match wins. */
  readonly layers: Readonly<Record<string, Layer>>;
  /** What implements a choice, and who may make that choice, beside the tests. */
  readonly implementations: { readonly files: readonly string[]; readonly importers: readonly string[] };
  /** Where each dependency, and each module of the runtime that is not free to all, may be imported. */
  readonly packages: Readonly<Record<string, readonly string[]>>;
  /** Where modules of the runtime may not be imported, unless `packages` says so. */
  readonly withoutRuntime: readonly string[];
  /** Programs beside the service: they may import every dependency, and those for development. */
  readonly tools: readonly string[];
  readonly environmentReaders: readonly string[];
  /** How large a source file and a folder may be, and in which folders that counts. */
  readonly sizes: { readonly folders: readonly string[]; readonly lines: number; readonly files: number };
}

interface SourceFile {
  readonly path: string;
  readonly code: string;
  /** Specifiers of all imports, those of types included. */
  readonly imports: readonly string[];
  /** Specifiers of imports that are there when types are stripped. */
  readonly values: readonly string[];
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

initSync();

/** Every breach of the rules in a tree, each as one line that names the file and the import. */
export function importProblems(root: string, folders: readonly string[], rules: ImportRules): string[] {
  const files = folders.flatMap((folder) => sourcePaths(root, folder)).map((path) => readSource(root, path));
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  return [
    ...files.flatMap((file) => layerProblems(root, file, rules)),
    ...files.flatMap((file) => packageProblems(file, manifest, rules)),
    ...files.flatMap((file) => environmentProblems(file, rules)),
    ...listProblems(files, manifest, rules),
    ...cycles(files),
    ...sizeProblems(root, rules),
  ];
}

function sourcePaths(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.[mc]?[jt]s$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, '/').length).replaceAll('\\', '/'))
    .sort();
}

function readSource(root: string, path: string): SourceFile {
  const source = readFileSync(join(root, path), 'utf8');
  const code = /ts$/.test(path) ? stripTypeScriptTypes(source) : source;
  const withTypes = /ts$/.test(path) ? stripTypeScriptTypes(typesAsValues(source)) : source;
  const inTypes = [...source.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)].map(
    ([, specifier = '']) => specifier,
  );
  return {
    path,
    code,
    imports: [...new Set([...specifiers(withTypes, path), ...inTypes])],
    values: specifiers(code, path),
  };
}

/** Imports of types as imports of values, so that they are still there when types are stripped. */
function typesAsValues(source: string): string {
  return source
    .replace(/^(\s*import)\s+type\s+(?!from\b)(?=[\w{*$])/gm, '$1 ')
    .replace(/^(\s*export)\s+type\s+(?=[{*])/gm, '$1 ');
}

function specifiers(code: string, path: string): string[] {
  const [imports] = parse(code, path);
  const found = imports.filter(({ d }) => d !== -2).map(({ n }) => n ?? '(computed)');
  const resolved = code.matchAll(/\b(?:import\.meta|require)\.resolve\(\s*['"`]([^'"`$]+)/g);
  return [...new Set([...found, ...[...resolved].map(([, specifier = '']) => specifier)])];
}

function isIn(path: string, places: readonly string[]): boolean {
  return places.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place));
}

function layerOf(path: string, { layers }: ImportRules): string | undefined {
  return Object.keys(layers).find((name) => isIn(path, layers[name]?.files ?? []));
}

const isRelative = (specifier: string) => /^\.{1,2}\//.test(specifier);
const target = (from: string, specifier: string) => posix.join(posix.dirname(from), specifier);

function layerProblems(root: string, { path, imports, values }: SourceFile, rules: ImportRules): string[] {
  const own = layerOf(path, rules);
  if (own === undefined) return [`${path}: belongs to no layer`];
  const problems: string[] = [];
  for (const specifier of imports.filter(isRelative)) {
    const to = target(path, specifier);
    const layer = layerOf(to, rules);
    const says = (reason: string) => problems.push(`${path}: imports ${specifier}, ${reason}`);
    if (!existsSync(join(root, to))) says('which does not exist');
    else if (to === 'package.json') continue;
    else if (layer === undefined) says('which belongs to no layer');
    else if (rules.layers[own]?.types?.includes(layer)) {
      if (values.includes(specifier)) says(`but ${own} may import only types of ${layer}`);
    } else if (layer !== own && !rules.layers[own]?.below.includes(layer))
      says(`but ${own} may not import ${layer}`);
    else if (!mayChoose(path, to, rules)) says('but an implementation is chosen elsewhere');
  }
  return problems;
}

function mayChoose(from: string, to: string, { implementations }: ImportRules): boolean {
  const folder = implementations.files.find((place) => isIn(to, [place]));
  return folder === undefined || isIn(from, [folder, ...implementations.importers]);
}

/** The package of a bare specifier: `@scope/name`, `name` or `node:name`. */
function packageOf(specifier: string): string {
  const [first = '', second] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

function packageProblems({ path, imports }: SourceFile, manifest: Manifest, rules: ImportRules): string[] {
  return imports
    .filter((specifier) => !isRelative(specifier))
    .flatMap((specifier) => packageProblem(path, specifier, manifest, rules) ?? []);
}

function packageProblem(
  path: string,
  specifier: string,
  manifest: Manifest,
  rules: ImportRules,
): string | undefined {
  const name = packageOf(specifier);
  const places = Object.hasOwn(rules.packages, name) ? rules.packages[name] : undefined;
  const says = (reason: string) => `${path}: imports ${specifier}, ${reason}`;
  if (specifier === '(computed)') return says('so that nobody can tell what it imports');
  if (places)
    return isIn(path, [...places, ...rules.tools])
      ? undefined
      : says(`which is for ${places.join(', ')} alone`);
  if (name.startsWith('node:')) {
    return isIn(path, rules.withoutRuntime)
      ? says('but modules of the runtime are not for this folder')
      : undefined;
  }
  if (manifest.devDependencies && Object.hasOwn(manifest.devDependencies, name)) {
    return isIn(path, rules.tools) ? undefined : says('which is a development dependency');
  }
  return says('which is not on the list of packages');
}

function environmentProblems({ path, code }: SourceFile, { environmentReaders }: ImportRules): string[] {
  const statements = code.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  const isReading =
    /\bprocess\s*(?:\.\s*env\b|\[\s*['"]env)|\{[^}]*\benv\b[^}]*\}\s*(?:=\s*process\b|from\s*['"]node:process)/;
  if (!isReading.test(statements) || isIn(path, environmentReaders)) return [];
  return [`${path}: reads process.env, which is for ${environmentReaders.join(', ')} alone`];
}

/** Dependencies and the list have to agree with each other and with what is imported. */
function listProblems(
  files: readonly SourceFile[],
  { dependencies = {} }: Manifest,
  { packages }: ImportRules,
): string[] {
  const imported = new Set(files.flatMap(({ imports }) => imports.map(packageOf)));
  const names = Object.keys(dependencies);
  const listed = Object.keys(packages);
  return [
    ...names
      .filter((name) => !listed.includes(name))
      .map((name) => `package.json: ${name} is not on the list of packages`),
    ...names.filter((name) => !imported.has(name)).map((name) => `package.json: nobody imports ${name}`),
    ...listed
      .filter((name) => !name.startsWith('node:') && !names.includes(name))
      .map((name) => `the list of packages: ${name} is no dependency`),
  ];
}

/** Cycles of imports, those of types included, each reported once. */
function cycles(files: readonly SourceFile[]): string[] {
  const edges = new Map(
    files.map(({ path, imports }) => [
      path,
      imports.filter(isRelative).map((specifier) => target(path, specifier)),
    ]),
  );
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path);
    if (start !== -1) found.push(`an import cycle: ${[...trail.slice(start), path].join(' > ')}`);
    if (start !== -1 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return found;
}

function sizeProblems(root: string, { sizes }: ImportRules): string[] {
  const files = sizes.folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile());
  const relative = (path: string) => posix.relative(root, path);
  const folders = Map.groupBy(files, ({ parentPath }) => relative(parentPath));
  return [
    ...files
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => !/\.(?:d\.ts|yaml)$/.test(path))
      .filter((path) => readFileSync(path, 'utf8').split('\n').length - 1 > sizes.lines)
      .map((path) => `${relative(path)}: has more than ${sizes.lines} lines`),
    ...[...folders]
      .filter(([, inside]) => inside.length > sizes.files)
      .map(([folder]) => `${folder}: has more than ${sizes.files} files`),
  ];
}
