import fc, { type Arbitrary } from 'fast-check';

/** A schema of OpenAPI 3.0, as far as our descriptions use it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly example?: unknown;
  readonly nullable?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly not?: Schema;
}

export type Components = Readonly<Record<string, Schema>>;

/** Longer texts would make most requests large. Some texts are as long as they may be. */
const usualLength = 12;
const mostItems = 3;

/** Values that fit a schema. */
export function valuesOf(schema: Schema, components: Components): Arbitrary<unknown> {
  const given = resolved(schema, components);
  const { nullable, example } = given;
  const values = given.allOf
    ? valuesOf(Object.assign({}, ...given.allOf.map((one) => resolved(one, components))), components)
    : plainValues(given, components);
  const options = [values, ...(example === undefined ? [] : [fc.constant(example)])];
  return fc.oneof(...options, ...(nullable ? [fc.constant(null)] : []));
}

function plainValues(schema: Schema, components: Components): Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const forms = schema.oneOf ?? schema.anyOf;
  if (forms) return fc.oneof(...forms.map((one) => valuesOf(one, components)));
  switch (schema.type) {
    case 'string':
      return texts(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1_000, 2 ** 31 - 1) });
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}, components), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(mostItems, schema.minItems ?? 0),
      });
    case 'object':
      return objects(schema, components);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function texts({ format, pattern, minLength = 0, maxLength = 1_000 }: Schema): Arbitrary<string> {
  const fits = (text: string) => [...text].length >= minLength && [...text].length <= maxLength;
  if (format === 'uuid')
    return fc.tuple(fc.constantFrom('', 'urn:uuid:'), fc.uuid()).map(([prefix, id]) => prefix + id);
  if (format === 'date-time')
    return fc
      .date({ min: new Date('0001-01-01'), max: new Date('9998-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern)).filter(fits);
  const short = fc.string({
    unit: 'grapheme',
    minLength,
    maxLength: Math.max(minLength, Math.min(maxLength, usualLength)),
  });
  return fc.oneof(
    { arbitrary: short.filter(fits), weight: 4 },
    { arbitrary: fc.constantFrom('x', '𝄞').map((one) => one.repeat(maxLength)), weight: 1 },
  );
}

function objects(schema: Schema, components: Components): Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties, minProperties = 0 } = schema;
  const known = Object.entries(properties).filter(
    ([, one]) => one.not === undefined || one.type === 'object',
  );
  const members = fc.record(
    Object.fromEntries(known.map(([name, one]) => [name, valuesOf(one, components)])),
    { requiredKeys: [...required] },
  );
  const fits = (value: object) =>
    Object.keys(value).length >= minProperties && !(schema.not && holds(schema.not, value));
  if (additionalProperties === false || (additionalProperties === undefined && known.length > 0))
    return members.filter(fits);
  const others = valuesOf(typeof additionalProperties === 'object' ? additionalProperties : {}, components);
  const more = fc.dictionary(fc.string({ minLength: 1, maxLength: usualLength }), others, {
    maxKeys: mostItems,
  });
  return fc
    .tuple(more, members)
    .map((parts) => Object.assign({}, ...parts))
    .filter(fits);
}

/** Whether a value keeps the rules between the members of an object. */
function holds(schema: Schema, value: object): boolean {
  const { required = [], properties = {}, allOf = [], anyOf, not } = schema;
  const members = new Map<string, unknown>(Object.entries(value));
  return (
    required.every((name) => members.has(name)) &&
    Object.entries(properties).every(([name, one]) => isMember(one, members.get(name))) &&
    allOf.every((one) => holds(one, value)) &&
    (!anyOf || anyOf.some((one) => holds(one, value))) &&
    !(not && holds(not, value))
  );
}

function isMember({ type, enum: among }: Schema, member: unknown): boolean {
  if (member === undefined) return true;
  return (type !== 'string' || typeof member === 'string') && (!among || among.includes(member));
}

function resolved(schema: Schema, components: Components): Schema {
  const { $ref } = schema;
  return $ref === undefined ? schema : (components[$ref.split('/').at(-1) ?? ''] ?? {});
}
