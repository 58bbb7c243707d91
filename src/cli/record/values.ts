import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { yamlAdvice } from '../../contract/words/yaml.ts';
import { jsonFaultAt } from '../../domain/json/fault-place.ts';
import { isObject, type JsonObject } from '../../domain/json/is-object.ts';
import { failUsage } from '../terminal/failure.ts';

/** Values that stand in the document about a run. Together with everything else they have to fit into 64 KiB. */
const mostBytes = 32_768;

/** Why a file has no values that can be recorded, as a sentence. */
export class UnreadableValues extends Error {}

/** The values of a parameters file. @throws Failure (usage) with the file and the place in it. */
export async function readParameters(absolute: string, path: string): Promise<JsonObject> {
  const parse = parsers[extname(path).toLowerCase()];
  if (!parse)
    failUsage(
      `Parameters are read from .yaml, .yml, .json and .toml files. Name ${path} with --input instead.`,
    );
  try {
    return await valuesIn(absolute, path, parse, assertJson);
  } catch (error) {
    if (error instanceof UnreadableValues) failUsage(error.message);
    throw error;
  }
}

/** The metrics that a command wrote. @throws UnreadableValues. */
export async function readMetrics(absolute: string, path: string): Promise<JsonObject> {
  return await valuesIn(absolute, path, parseJson, assertMetrics);
}

/** The same of an object. */
export function metricsIn(values: unknown, path: string): JsonObject {
  if (!isObject(values)) throw new UnreadableValues(`${path} must be an object, such as {"loss": 0.12}.`);
  for (const [name, value] of Object.entries(values)) assertMetrics(value, [name], path);
  if (Buffer.byteLength(JSON.stringify(values)) > mostBytes) throwTooLarge(path);
  return values;
}

type Parse = (text: string, path: string) => Promise<unknown> | unknown;
type AssertValue = (value: unknown, place: readonly string[], path: string) => void;

async function valuesIn(absolute: string, path: string, parse: Parse, assertValue: AssertValue) {
  const found = await stat(absolute).catch(() => undefined);
  if (!found) throw new UnreadableValues(`${path} does not exist.`);
  if (!found.isFile()) throw new UnreadableValues(`${path} is not a regular file.`);
  if (found.size > mostBytes) throwTooLarge(path);
  const values = await parse(textIn(await readFile(absolute), path), path);
  if (!isObject(values)) throw new UnreadableValues(`${path} must contain names with values at its top.`);
  for (const [name, value] of Object.entries(values)) assertValue(value, [name], path);
  return values;
}

function throwTooLarge(path: string): never {
  throw new UnreadableValues(`${path} has more than ${mostBytes / 1_024} KiB of values, which is the limit.`);
}

function textIn(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableValues(`${path} is not UTF-8 text.`);
  }
}

function parseJson(text: string, path: string, reviver?: Reviver): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch {
    if (text.trim() === '') throw new UnreadableValues(`${path} is empty. Write a JSON object to it.`);
    const at = jsonFaultAt(text);
    const isNumber = /^-?(?:NaN|Infinity)\b/.test(text.slice(at));
    const advice = isNumber ? ' JSON has no NaN and no Infinity: write them as text, "NaN".' : '';
    throw new UnreadableValues(`${path} is not JSON: ${placeOf(text, at)} cannot be read.${advice}`);
  }
}

type Reviver = (name: string, value: unknown, context?: { readonly source?: string }) => unknown;

function parseExactJson(text: string, path: string): unknown {
  return parseJson(text, path, (_name, value, { source = '' } = {}) =>
    typeof value === 'number' && /^-?\d+$/.test(source) ? plain(BigInt(source)) : value,
  );
}

function placeOf(text: string, at: number): string {
  const before = text.slice(0, at).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

// Both libraries are imported only when a file needs them.

async function parseYaml(text: string, path: string): Promise<unknown> {
  const { isScalar, LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, {
    intAsBigInt: true,
    merge: true,
    lineCounter: lines,
    logLevel: 'error',
  });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) {
    const { line, col } = lines.linePos(problem.pos[0]);
    const place = `line ${line}, column ${col}`;
    throw new UnreadableValues(`${path} cannot be read as YAML: see ${place}. ${yamlAdvice(problem.code)}`);
  }
  if (isScalar(document.contents)) return undefined;
  try {
    return plain(document.toJS({ maxAliasCount: 100 }));
  } catch {
    throw new UnreadableValues(`${path} repeats its anchors too often.`);
  }
}

async function parseToml(text: string, path: string): Promise<unknown> {
  const { parse, TomlError } = await import('smol-toml');
  try {
    return plain(parse(text, { integersAsBigInt: 'asNeeded' }));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const place = `line ${error.line}, column ${error.column}`;
    throw new UnreadableValues(`${path} is not TOML: ${place} cannot be read.`);
  }
}

const parsers: Readonly<Record<string, Parse>> = {
  '.json': parseExactJson,
  '.toml': parseToml,
  '.yaml': parseYaml,
  '.yml': parseYaml,
};

/** Values that JSON has. A number that it cannot hold exactly becomes text, as does a date. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

function assertJson(value: unknown, place: readonly string[], path: string): void {
  assertScalar(value, place, path);
  const members = Array.isArray(value) || isObject(value) ? Object.entries(value) : [];
  for (const [name, member] of members) assertJson(member, [...place, name], path);
}

function assertMetrics(value: unknown, place: readonly string[], path: string): void {
  assertScalar(value, place, path);
  if (value === null || Array.isArray(value) || typeof value === 'undefined') {
    const what = value === null ? 'null' : Array.isArray(value) ? 'a list' : 'missing';
    throw new UnreadableValues(
      `${path}: ${pointer(place)} is ${what}. Metrics are numbers, texts, true and false, in objects.`,
    );
  }
  if (isObject(value))
    for (const [name, member] of Object.entries(value)) assertMetrics(member, [...place, name], path);
}

/** RFC 8785 has neither numbers beyond those of JSON nor halves of characters. */
function assertScalar(value: unknown, place: readonly string[], path: string): void {
  const says = (what: string) => new UnreadableValues(`${path}: ${pointer(place)} ${what}.`);
  if (place.length > 50) throw new UnreadableValues(`${path} is nested more than 50 levels deep.`);
  if (typeof value === 'number' && !Number.isFinite(value)) throw says(`is ${value}, which JSON cannot hold`);
  const texts = [place.at(-1), value].filter((one) => typeof one === 'string');
  if (texts.some((one) => !one.isWellFormed())) throw says('has a character that is not Unicode');
}

/** RFC 6901. */
function pointer(place: readonly string[]): string {
  return place.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
