import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject, type FuncKeywordDefinition, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { EvidenceProblem } from '../../src/domain/integrity/evidence/evidence.ts';
import { jcs } from '../../src/domain/integrity/identification/jcs.ts';
import { isObject } from '../../src/domain/json/is-object.ts';
import { schemaFile } from './schema-files.ts';

/** In linear time. The library compares each item with each other, which takes minutes for very many components. */
const uniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  errors: false,
  validate: (isWanted: boolean, items: readonly unknown[]) =>
    !isWanted || new Set(items.map(canonical)).size === items.length,
  error: { message: 'must have no item twice' },
};

function canonical(item: unknown): string {
  return isObject(item) || Array.isArray(item) ? jcs(item) : JSON.stringify(item);
}

const validators = new Map<string, ValidateFunction>();

/** @throws EvidenceProblem if a document does not follow an official schema, such as `cyclonedx-1.6`. */
export function assertFollowsSchema(name: string, document: unknown): void {
  const validator = validators.get(name) ?? compiled(name);
  validators.set(name, validator);
  if (validator(document)) return;
  const [error] = (validator.errors ?? []).toSorted((a, b) => depth(b) - depth(a));
  const place = error?.instancePath ?? '';
  const reason = error ? reasonOf(error) : 'it is invalid';
  const title = name.replace(/^cyclonedx-/, 'CycloneDX ');
  throw new EvidenceProblem(`${title} does not allow ${place || 'the document'}: ${reason}.`, place);
}

/** Of the branches of a choice, the one that fits furthest says best what is wrong. */
function depth({ instancePath }: ErrorObject): number {
  return instancePath.split('/').length;
}

function reasonOf({ keyword, params, data, message = '' }: ErrorObject): string {
  if (keyword === 'enum') return `it is ${written(data)}, and ${message}: ${listed(params.allowedValues)}`;
  if (keyword === 'additionalProperties') return `it has the unknown member "${params.additionalProperty}"`;
  if (keyword === 'required') return `it lacks "${params.missingProperty}"`;
  return isObject(data) || Array.isArray(data) ? `it ${message}` : `it is ${written(data)}, and ${message}`;
}

function written(value: unknown): string {
  return JSON.stringify(value).slice(0, 200);
}

/** Some lists, as that of licences, are long. */
function listed(values: readonly unknown[]): string {
  return values.slice(0, 20).join(', ') + (values.length > 20 ? '…' : '');
}

function compiled(name: string): ValidateFunction {
  const version = name.replace(/^cyclonedx-/, '');
  const ajv = new Ajv({ strict: false, verbose: true });
  formats.default(ajv);
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({ ...uniqueItems });
  // Of draft 2019. They are not worth a library: what is no reference or address harms nobody here.
  for (const format of ['iri-reference', 'idn-email']) ajv.addFormat(format, true);
  for (const part of ['spdx', 'jsf-0.82', 'cryptography-defs']) {
    const file = `${part}.SNAPSHOT.schema.json`;
    ajv.addSchema(jsonOf(file), `http://cyclonedx.org/schema/${file}`);
  }
  return ajv.compile(jsonOf(`bom-${version}.SNAPSHOT.schema.json`) as object);
}

function jsonOf(file: string): object {
  return JSON.parse(readFileSync(schemaFile(file), 'utf8'));
}
