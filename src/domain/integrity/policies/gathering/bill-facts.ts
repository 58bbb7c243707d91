import { yieldToEventLoop } from '../../../yield-to-event-loop.ts';
import { cidIn } from '../../identifiers/cid.ts';
import type { Artefact, UnknownCode } from '../facts.ts';
import type { FactPorts } from './ports.ts';
import type { Component, Vulnerability } from './read-bill.ts';

/** Larger files are not read for a check. */
const billLimit = 32 << 20;

/** A file that metadata names, and the statement that names it. */
export interface NamedFile {
  readonly file: string;
  readonly statement: string;
}

export type Bills = Pick<Artefact, 'components' | 'vulnerabilities' | 'unknown' | 'cut'>;

/** What bills of materials and VEX documents list about a thing. Without such a document nobody knows. */
export async function billFacts(
  { documents, readBill }: Pick<FactPorts, 'documents' | 'readBill'>,
  files: readonly NamedFile[],
): Promise<Bills> {
  const components = new Listed<Component>();
  const vulnerabilities = new Listed<Vulnerability>();
  let why: { components?: UnknownCode; vulnerabilities?: UnknownCode } = {
    components: 'no_such_evidence',
    vulnerabilities: 'no_such_evidence',
  };
  let isLacking = false;
  for (const { file, statement } of files) {
    const cid = cidIn(file);
    const [bytes] = cid ? await documents([cid], billLimit) : [];
    if (!cid || !bytes) {
      isLacking = true;
      why = {
        ...why,
        ...(why.components && { components: 'bytes_missing', vulnerabilities: 'bytes_missing' }),
      };
      continue;
    }
    const bill = await readBill(cid, bytes);
    await yieldToEventLoop();
    if (!bill) continue;
    components.add(bill.components, statement);
    vulnerabilities.add(bill.vulnerabilities, statement);
    if (bill.components.length > 0) delete why.components;
    if (bill.vulnerabilities.length > 0 || bill.listsVulnerabilities) delete why.vulnerabilities;
  }
  return {
    ...(why.components === undefined && { components: components.facts() }),
    ...(why.vulnerabilities === undefined && { vulnerabilities: vulnerabilities.facts() }),
    ...(Object.keys(why).length > 0 && { unknown: why }),
    ...(isLacking && { cut: ['components', 'vulnerabilities'] }),
  };
}

/** What several files list. What they say alike is said once, because something may be scanned every night. */
class Listed<Item extends object> {
  readonly #facts = new Map<string, Item & { readonly statements: string[] }>();

  add(items: readonly Item[], statement: string): void {
    const times = new Map<string, number>();
    for (const one of items) {
      const said = JSON.stringify(one);
      // One file may list the same several times.
      const time = (times.get(said) ?? 0) + 1;
      times.set(said, time);
      const fact = this.#facts.getOrInsertComputed(`${time} ${said}`, () => ({ ...one, statements: [] }));
      fact.statements.push(statement);
    }
  }

  facts(): (Item & { readonly statements: readonly string[] })[] {
    return [...this.#facts.values()];
  }
}
