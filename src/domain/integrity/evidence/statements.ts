import type { JsonObject } from '../../json/is-object.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { ownContextUrl } from '../contexts/own.ts';
import { jcs } from '../identification/jcs.ts';
import { statementTime } from '../identifiers/timestamp.ts';
import { subjectName } from '../names/name.ts';
import { runDocument } from '../runs/run-document.ts';
import { type JcsDocument, jcsDocument } from './documents.ts';
import type { Evidence, Step, Thing, Whole } from './evidence.ts';
import { identified } from './things.ts';

export interface Provenance {
  /** The DID of who brings the evidence. */
  readonly registeredBy: string;
  readonly time: Date;
}

/** Computes the ids of statements, in their order. */
export type IdentifyAll = (statements: readonly JsonObject[]) => Promise<readonly string[]>;

export interface Derived {
  /** Without their ids. */
  readonly statements: readonly JsonObject[];
  /** What the statements refer to. */
  readonly documents: readonly JcsDocument[];
  /** The ids of what the original file describes: things and computations. */
  readonly subjects: readonly string[];
}

/** More parts of a whole stand in further statements, because a statement has a limit. */
const partsAtOnce = 500;

/** The statements that follow from evidence. The same evidence, registrant and time give the same statements. */
export async function derive(evidence: Evidence, by: Provenance, identifyAll: IdentifyAll): Promise<Derived> {
  const making = new Making(by);
  const { about, steps = [], wholes = [], descriptions = [], folders = [] } = evidence;
  const subjects = about.map((thing) => making.id(thing));
  const computations = steps.map((step) => making.computation(step));
  for (const whole of wholes) making.whole(whole);
  for (const { folder, files } of folders) {
    const named = Object.entries(files).map(([name, digests]) => ({ name, digests }));
    const parts = named.filter(({ digests }) => Object.keys(digests).length > 0);
    making.whole({ whole: folder, parts });
  }
  for (const { about: thing, document } of descriptions) {
    making.describe(making.id(thing), document);
    await yieldToEventLoop();
  }
  const ids = computations.length === 0 ? [] : await identifyAll(computations);
  for (const [at, id] of ids.entries()) if (steps[at]) making.describe(id, making.run(steps[at]));
  making.nameThings();
  return {
    statements: making.statements,
    documents: [...making.documents.values()],
    subjects: [...new Set([...subjects, ...ids])],
  };
}

/** The statement that the original file is about something. */
export function original(subject: string, blob: string, by: Provenance): JsonObject {
  return { ...common(by, 'MetadataRegistration'), subject, metadata: blob };
}

/** The statement that one thing is a part of another. */
export function partOf(whole: string, part: string, by: Provenance): JsonObject {
  return { ...common(by, 'AssociationRegistration'), subject: whole, association: part, type: 'includes' };
}

/** A statement has other members beside the signature. */
const besideSignature = 4_096;

/** Whether a signature is too large for a statement. A bundle is carried in base64. */
export function hasLargeSignature({ signature }: Evidence, maxBytes: number): boolean {
  if (!signature) return false;
  const size = 'envelope' in signature ? lengthOf(signature.envelope) : (lengthOf(signature.bundle) * 4) / 3;
  return size + besideSignature > maxBytes;
}

function lengthOf(signed: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(signed));
}

/** The registration of the signature of evidence; undefined if it has none, or one that is too large for a statement. */
export function signatureOf(evidence: Evidence, by: Provenance, maxBytes: number): JsonObject | undefined {
  const { signature, about, steps = [] } = evidence;
  if (!signature || hasLargeSignature(evidence, maxBytes)) return undefined;
  const statement = common(by, 'CredentialRegistration');
  if ('envelope' in signature) return { ...statement, credentialDsse: signature.envelope };
  const [subject] = [...about, ...steps.flatMap(({ outputs }) => outputs)];
  if (!subject) return undefined;
  const bundle = Buffer.from(jcs(signature.bundle)).toString('base64');
  return { ...statement, subject: identified(subject).id, sigstoreBundle: bundle };
}

function common({ registeredBy, time }: Provenance, type: string): JsonObject {
  return { '@context': ownContextUrl, '@type': type, registeredBy, timestamp: statementTime(time) };
}

class Making {
  readonly statements: JsonObject[] = [];
  readonly documents = new Map<string, JcsDocument>();
  readonly #by: Provenance;
  /** What each thing is called, in the order of the file. */
  readonly #names = new Map<string, Set<string>>();
  /** The same thing may stand in many places. */
  readonly #ids = new Map<Thing, string>();
  /** The same document may be said of many things. */
  readonly #documentIds = new Map<JsonObject, string>();
  /** What has got its name from a document that says more. */
  readonly #named = new Set<string>();

  constructor(by: Provenance) {
    this.#by = by;
  }

  id(thing: Thing): string {
    const known = this.#ids.get(thing);
    if (known !== undefined) return known;
    const found = identified(thing);
    if (found.reference) this.documents.set(found.id, found.reference);
    if (found.name) this.#names.set(found.id, (this.#names.get(found.id) ?? new Set()).add(found.name));
    this.#ids.set(thing, found.id);
    return found.id;
  }

  computation({ inputs, outputs, program, machine, facts: { name, started } }: Step): JsonObject {
    const used = program ? this.id(program) : this.#document({ name });
    const into = inputs.map((thing) => this.id(thing));
    const from = outputs.map((thing) => this.id(thing));
    // A computation has an input and an output.
    if (from.length === 0) from.push(this.#document({ name: `${name}: end`, ...(started && { started }) }));
    const statement = {
      ...common(this.#by, 'ComputationRegistration'),
      computation: used,
      input: oneOrMany(into.length > 0 ? into : [used]),
      output: oneOrMany(from),
      // A computation names one. Builders and schedulers have no DID, so it is who answers for the claim.
      operatedBy: this.#by.registeredBy,
      ...(machine !== undefined && { executedOn: machine }),
    };
    this.statements.push(statement);
    return statement;
  }

  /** Parameters are documents of their own, so that each has a CID. */
  run({ facts, parameters = [] }: Step): JsonObject {
    const files = parameters.map(({ path, values }) => ({ path, cid: this.#document(values), values }));
    return runDocument({ ...facts, ...(files.length > 0 && { parameters: files }) });
  }

  whole({ whole, parts }: Whole): void {
    const subject = this.id(whole);
    const distinct = new Set(parts.map((part) => this.id(part)));
    const ids = [...distinct].filter((id) => id !== subject);
    for (let at = 0; at < ids.length; at += partsAtOnce) {
      const association = oneOrMany(ids.slice(at, at + partsAtOnce));
      this.#add('AssociationRegistration', { subject, association, type: 'includes' });
    }
  }

  describe(subject: string, document: JsonObject): void {
    this.#add('MetadataRegistration', { subject, metadata: this.#document(document) });
    if (subjectName(document)) this.#named.add(subject);
  }

  /** Only a DID itself names a DID. The first name is stated last, because the newest one is shown. */
  nameThings(): void {
    for (const [id, names] of this.#names)
      if (!this.#named.has(id) && !id.startsWith('did:'))
        for (const name of [...names].toReversed()) this.describe(id, { name });
  }

  #add(type: string, fields: JsonObject): void {
    this.statements.push({ ...common(this.#by, type), ...fields });
  }

  #document(value: JsonObject): string {
    const known = this.#documentIds.get(value);
    if (known !== undefined) return known;
    const document = jcsDocument(value);
    this.documents.set(document.id, document);
    this.#documentIds.set(value, document.id);
    return document.id;
  }
}

function oneOrMany(ids: readonly string[]): string | readonly string[] {
  const [first = '', ...others] = new Set(ids);
  return others.length === 0 ? first : [first, ...others];
}
