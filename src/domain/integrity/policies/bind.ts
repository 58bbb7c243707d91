import { type CelInput, isCelList } from '@bufbuild/cel';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { isObject } from '../../json/is-object.ts';
import { factMap, json } from './fact-map.ts';
import {
  elementOf,
  type Facts,
  fieldsOf,
  type LogFact,
  rootFields,
  type SignatureFact,
  sharedFacts,
  type UnknownCode,
} from './facts.ts';
import type { PolicyDocument } from './policy.ts';
import {
  factList,
  noteItems,
  noteMissing,
  noteStatements,
  noteUnknown,
  noteWithdrawn,
  spend,
} from './watching/watch.ts';

type Plain = Readonly<Record<string, unknown>> & {
  readonly statements?: readonly string[];
  readonly said_by?: Readonly<Record<string, readonly string[]>>;
  readonly unknown?: Readonly<Record<string, UnknownCode>>;
  readonly cut?: readonly string[];
};

/** Facts as the conditions of one policy read them. */
export class Binding {
  readonly #facts: Facts;
  readonly #policy: Pick<PolicyDocument, 'signers' | 'log'>;
  readonly #now: Date;
  readonly #known = new WeakMap<object, CelInput>();
  readonly #everywhere: object;

  constructor(facts: Facts, policy: Pick<PolicyDocument, 'signers' | 'log'>, now: Date) {
    this.#facts = facts;
    this.#policy = policy;
    this.#now = now;
    this.#everywhere = Object.create(null, this.#root());
  }

  /** @param it the thing that the rule is evaluated for, of a list that `for` has found. Default: the subject. */
  variables(it?: CelInput): Readonly<Record<string, CelInput>> {
    return Object.create(this.#everywhere, it === undefined ? this.#subject() : { it: { value: it } });
  }

  /** What conditions can name everywhere. */
  #root(): PropertyDescriptorMap {
    const { things: _, subject, ...plain } = this.#facts;
    const root = { ...plain, subject, now: this.#now.toISOString() } as Plain;
    return read(this.#fact(undefined, root, subject), Object.keys(rootFields));
  }

  #subject(): PropertyDescriptorMap {
    const { subject, things } = this.#facts;
    const plain = (things.artefacts[subject] ?? { id: subject }) as Plain;
    const names = Object.keys(fieldsOf('artefact') ?? {}).filter((name) => !Object.hasOwn(rootFields, name));
    return read(this.#fact('artefact', plain, subject), names);
  }

  /** @param kind undefined for what conditions can name everywhere. */
  #fact(kind: string | undefined, plain: Plain, owner: string): FieldMap {
    const of = String(plain.id ?? owner);
    return new FieldMap(kind, plain, of, (type, value, place) => this.#value(type, value, place));
  }

  #value(type: string, value: unknown, place: Place): CelInput | undefined {
    const { field, kind, of, plain } = place;
    if (type === 'signer') return this.#signer(place);
    if (type === 'list(signer)') return this.#signers(place);
    const element = elementOf(type);
    if (element !== undefined) {
      const items = (value ?? []) as readonly unknown[];
      spend(items.length);
      const isSaid = value !== undefined || !known.has(field);
      const lacks = plain.cut?.includes(field) ? 'cut' : isSaid ? undefined : 'not_said';
      const shown = items.flatMap((one) => this.#one(element, one, of) ?? []);
      const isKnown = value !== undefined && known.has(field);
      const statements = () => items.flatMap((one) => this.#plainOf(element, one)?.statements ?? []);
      return factList(shown, { fact: field, kind, of, lacks, isKnown, statements });
    }
    if (value === undefined && type !== 'values' && type !== 'string') {
      noteUnknown({ code: 'not_said', fact: field, kind, of });
      return undefined;
    }
    const lacks = value === undefined || value === '' || (field === 'complete' && value === false);
    if (lacks) noteMissing({ fact: field, kind, of });
    if (field === 'standing' && value !== 'good') noteStanding(plain, plain);
    if (type === 'values')
      return json(value ?? {}, { fact: field, kind, of }, plain.cut?.includes(field) ?? false);
    return this.#one(type, value ?? '', of);
  }

  #one(type: string, value: unknown, owner: string): CelInput | undefined {
    const fields = fieldsOf(type);
    if (!fields) return scalar(type, value);
    const plain = this.#plainOf(type, value);
    if (!plain) return undefined;
    if (type === 'log') return this.#log(plain as LogFact, owner);
    const made = this.#known.get(plain);
    if (made !== undefined) return made;
    const map = this.#fact(type, plain, owner);
    const shown = factMap(map, (field) => map.says(field));
    this.#known.set(plain, shown);
    return shown;
  }

  #plainOf(type: string, value: unknown): Plain | undefined {
    if (!Object.hasOwn(sharedFacts, type)) return isObject(value) ? (value as Plain) : undefined;
    const things: Readonly<Record<string, Plain>> =
      this.#facts.things[sharedFacts[type as keyof typeof sharedFacts]];
    return things[String(value)];
  }

  #signer({ field, kind, of, plain }: Place): string | undefined {
    if (field === 'by') return this.#nameOf(plain as SignatureFact)[0] ?? '';
    const { names, isUnknown } = this.#standing(plain);
    if (names[0] !== undefined) return names[0];
    if (isUnknown) {
      noteUnknown({ code: 'standing_unknown', fact: field, kind, of });
      return undefined;
    }
    noteMissing({ fact: field, kind, of });
    return '';
  }

  #signers({ field, kind, of, plain }: Place): CelInput {
    const { names, isUnknown } = this.#standing(plain);
    return factList(names, {
      ...{ fact: field, kind, of, isKnown: false },
      lacks: isUnknown ? 'standing_unknown' : undefined,
    });
  }

  /** Who has signed a thing so that it stands, the registrant first. */
  #standing(plain: Plain): { readonly names: readonly string[]; readonly isUnknown: boolean } {
    const named = new Map<string, boolean>();
    let isUnknown = plain.unknown?.signatures !== undefined || (plain.cut?.includes('signed_by') ?? false);
    for (const signature of (plain.signatures ?? []) as readonly SignatureFact[]) {
      const names = this.#nameOf(signature);
      if (names.length === 0) continue;
      if (signature.standing === undefined) isUnknown = true;
      if (signature.standing !== 'good') {
        noteStanding(signature, plain);
        continue;
      }
      noteStatements(signature.statements ?? []);
      for (const name of names)
        named.set(name, (named.get(name) ?? false) || signature.is_registrant === true);
    }
    const all = [...named].sort(([, one], [, other]) => Number(other) - Number(one));
    return { names: all.map(([name]) => name), isUnknown };
  }

  #nameOf(signature: SignatureFact): string[] {
    return namesOfSigner(signature, this.#policy.signers, this.#facts.service);
  }

  /** What counts of a log proof: its log must be that of the policy, and witnesses those that it names. */
  #log(log: LogFact, owner: string): CelInput | undefined {
    const { key, witnesses: chosen } = this.#policy.log ?? {};
    if (key !== undefined && log.key !== key) {
      noteUnknown({ code: 'no_log_proof', fact: 'log', of: owner });
      return undefined;
    }
    const witnesses = (log.witnesses ?? []).filter((one) => !chosen || chosen.includes(one.key ?? ''));
    const times = witnesses.flatMap(({ at }) => (at === undefined ? [] : [at])).sort();
    const { at: _, ...more } = log;
    const counted = { ...more, witnesses, ...(times[0] !== undefined && { at: times[0] }) };
    const map = this.#fact('log', counted, owner);
    return factMap(map, (field) => map.says(field));
  }
}

/** A signature, or a credential, of a thing does not count now. */
function noteStanding({ standing, signer }: Plain, { statements = [] }: Plain): void {
  const [statement] = statements;
  if (statement === undefined || standing === undefined) return;
  noteWithdrawn({
    statement,
    state: String(standing),
    ...(signer !== undefined && { by: String(signer) }),
  });
}

/** Variables that are read when a condition names them. */
function read(map: FieldMap, names: readonly string[]): PropertyDescriptorMap {
  return Object.fromEntries(names.map((name) => [name, { get: () => map.get(name) }]));
}

/** What a policy calls the signer of a signature. @param service the DIDs of the service that has the facts. */
export function namesOfSigner(
  { signer, issuer }: Pick<SignatureFact, 'signer' | 'issuer'>,
  signers: PolicyDocument['signers'],
  service: readonly string[],
): string[] {
  return Object.entries(signers).flatMap(([name, entries]) => {
    const isMeant = entries.some((entry) => {
      if (entry === 'service') return service.includes(signer ?? '');
      if (typeof entry === 'string') return entry === signer;
      return entry.sigstore.identity === signer && entry.sigstore.issuer === issuer;
    });
    return isMeant ? [name] : [];
  });
}

interface Place {
  readonly field: string;
  readonly kind: string | undefined;
  readonly of: string;
  readonly plain: Plain;
}

/** Lists of which somebody said that they are empty, if they are there at all. Otherwise they may have anything. */
const known = new Set(['vulnerabilities', 'components', 'licenses']);

/** The fields of one fact, read when a condition asks for them. */
class FieldMap extends Map<string, CelInput> {
  readonly #kind: string | undefined;
  readonly #fields: Readonly<Record<string, { readonly type: string }>>;
  readonly #plain: Plain;
  readonly #of: string;
  readonly #value: (type: string, value: unknown, place: Place) => CelInput | undefined;

  constructor(
    kind: string | undefined,
    plain: Plain,
    of: string,
    value: (type: string, value: unknown, place: Place) => CelInput | undefined,
  ) {
    super();
    this.#kind = kind;
    this.#fields = kind === undefined ? rootFields : (fieldsOf(kind) ?? {});
    this.#plain = plain;
    this.#of = of;
    this.#value = value;
  }

  override get(field: string): CelInput | undefined {
    const type = Object.hasOwn(this.#fields, field) ? this.#fields[field]?.type : undefined;
    if (type === undefined) return undefined;
    if (this.#isUnknown(field)) return undefined;
    if (!isList(type)) noteStatements(this.#plain.said_by?.[field] ?? this.#plain.statements ?? []);
    const value = Object.hasOwn(this.#plain, field) ? this.#plain[field] : undefined;
    return this.#value(type, value, { field, kind: this.#kind, of: this.#of, plain: this.#plain });
  }

  /** Whether the field has a value. @throws if nobody knows. */
  says(field: string): boolean {
    if (this.#isUnknown(field)) throw new RangeError('unknown');
    const value = this.get(field);
    if (value === undefined || value === '') return false;
    if (typeof value !== 'object' || value === null || !('size' in value)) return true;
    if (isCelList(value)) noteItems(value);
    return value.size !== 0;
  }

  #isUnknown(field: string): boolean {
    const code = this.#plain.unknown?.[field];
    if (code !== undefined) noteUnknown({ code, fact: field, kind: this.#kind, of: this.#of });
    return code !== undefined;
  }
}

function isList(type: string): boolean {
  const element = elementOf(type);
  return element !== undefined && fieldsOf(element) !== undefined;
}

function scalar(type: string, value: unknown): CelInput | undefined {
  if (type === 'int') return BigInt(Math.trunc(Number(value)));
  if (type !== 'timestamp') return value as CelInput;
  const time = Date.parse(String(value));
  return Number.isNaN(time) ? undefined : timestampFromMs(time);
}
