import type { JsonObject } from '../../../json/is-object.ts';
import type { Description, Step, Thing, Whole } from '../evidence.ts';

/** Collects what a bill of materials says about its things, which it calls by ids of its own. */
export class Inventory {
  readonly #things = new Map<string, Thing>();
  readonly #documents = new Map<string, Record<string, unknown>>();
  readonly #parts = new Map<string, Set<string>>();
  /** By the name of what was done, and by output. */
  readonly #inputs = new Map<string, Map<string, Set<string>>>();
  readonly #unknown: (id: string) => Thing;

  /** @param unknown makes a thing of an id that the file refers to and does not describe. */
  constructor(unknown: (id: string) => Thing) {
    this.#unknown = unknown;
  }

  /** @param said what the file says about the thing. */
  add(id: string, thing: Thing, said: JsonObject = {}): void {
    this.#things.set(id, thing);
    this.say(id, said);
  }

  has(id: string): boolean {
    return this.#things.has(id);
  }

  thing(id: string): Thing {
    const known = this.#things.get(id);
    if (known) return known;
    const thing = this.#unknown(id);
    this.#things.set(id, thing);
    return thing;
  }

  things(ids: Iterable<string>): Thing[] {
    return [...new Set(ids)].map((id) => this.thing(id));
  }

  /** Adds to the document about a thing. A list is joined with what the member has already. */
  say(id: string, said: JsonObject): void {
    const document = this.#documents.get(id) ?? {};
    for (const [member, value] of Object.entries(said)) {
      const before = document[member];
      document[member] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
    }
    this.#documents.set(id, document);
  }

  includes(whole: string, parts: Iterable<string>): void {
    addAll(this.#parts, whole, parts);
  }

  /** @param done in words, such as `Training`. */
  isMadeFrom(output: string, inputs: Iterable<string>, done: string): void {
    const byOutput = this.#inputs.get(done) ?? new Map();
    addAll(byOutput, output, inputs);
    if (byOutput.size > 0) this.#inputs.set(done, byOutput);
  }

  wholes(): Whole[] {
    return [...this.#parts].map(([whole, parts]) => ({
      whole: this.thing(whole),
      parts: this.things(parts),
    }));
  }

  /** A step for each thing that was made from others. */
  steps(): Step[] {
    return [...this.#inputs].flatMap(([done, byOutput]) =>
      [...byOutput].map(([output, inputs]) => {
        const made = this.thing(output);
        const facts = { name: `${done} of ${made.name ?? output}` };
        return { inputs: this.things(inputs), outputs: [made], facts };
      }),
    );
  }

  /** A document with the name of each thing about which something is said. */
  descriptions(): Description[] {
    return [...this.#documents]
      .filter(([, said]) => Object.keys(said).length > 0)
      .map(([id, said]) => {
        const about = this.thing(id);
        return { about, document: { ...(about.name !== undefined && { name: about.name }), ...said } };
      });
  }
}

function addAll(lists: Map<string, Set<string>>, key: string, values: Iterable<string>): void {
  const list = lists.get(key) ?? new Set();
  for (const value of values) if (value !== key) list.add(value);
  if (list.size > 0) lists.set(key, list);
}
