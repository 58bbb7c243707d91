import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describeWith } from './describe-with.ts';

/** Conformance vectors and foreign data, which are no part of the project: CAIRN_TEST_DATA names their folder. */
const folder = resolve(import.meta.dirname, '..', process.env.CAIRN_TEST_DATA ?? '../shared');
const isPresent = ['conformance', 'interop'].every((name) => existsSync(join(folder, name)));

/** A suite over the test data. Without the data it is skipped in one line, and fails where CI runs. */
export function describeTestData(name: string, suite: () => void): void {
  describeWith(!isPresent && `there is no test data in ${folder} (CAIRN_TEST_DATA)`, name, suite);
}

export function readTestBytes(...path: string[]): Buffer {
  return readFileSync(join(folder, ...path));
}

export function readTestText(...path: string[]): string {
  return readTestBytes(...path).toString('utf8');
}

export function readTestJson<Content>(...path: string[]): Content {
  return JSON.parse(readTestText(...path)) as Content;
}

export function listTestData(...path: string[]): string[] {
  return readdirSync(join(folder, ...path)).sort();
}

/** Where a file or folder of the test data is. */
export function testDataPath(...path: string[]): string {
  return join(folder, ...path);
}
