import { html } from 'hono/html';
import type { Facts } from '../../domain/integrity/policies/facts.ts';
import type { FilledTemplate } from '../../domain/integrity/policies/fill-template.ts';
import type { Policy } from '../../domain/integrity/policies/read-policy.ts';
import { type FactStatement, statementsIn } from '../../domain/integrity/policies/statements-in.ts';
import type { ReportSource } from '../../domain/integrity/report/report.ts';
import type { Html } from '../header.ts';

/** What a page is made from. */
export interface TemplateReport extends FilledTemplate {
  readonly source: ReportSource;
  /** The name of the CAR that goes with the page. */
  readonly car?: string | undefined;
  /** The keys of logs that counted, which readers must name too. */
  readonly logKeys?: readonly string[];
  /** The DIDs that a signer `service` meant, which readers must name too. */
  readonly serviceDids?: readonly string[];
}

/** One subject of a page. Its anchors begin with `key`. */
export interface ReportedSubject {
  readonly key: string;
  readonly facts: Facts;
  readonly policy: Policy;
  readonly named: (id: string) => string;
  readonly references: References;
}

const linksShown = 24;

/** Numbers the statements of a subject in the order in which a page names them. */
export class References {
  readonly #key: string;
  readonly #known: ReadonlyMap<string, FactStatement>;
  readonly #numbers = new Map<string, number>();

  constructor(key: string, facts: Facts) {
    this.#key = key;
    this.#known = statementsIn(facts);
  }

  /** Links to the statements that something rests on. */
  links(statements: readonly string[]): Html {
    const numbers = [...new Set(statements)].map((id) =>
      this.#numbers.getOrInsertComputed(id, () => this.#numbers.size + 1),
    );
    const shown = numbers.toSorted((one, other) => one - other).slice(0, linksShown);
    const more = numbers.length - shown.length;
    return html`<span class="links">${shown.map((number) => html`<a href="#${this.anchor(number)}">[${number}]</a> `)}${more > 0 ? `and ${more} more` : ''}</span>`;
  }

  anchor(number: number): string {
    return `${this.#key}e${number}`;
  }

  /** The statements that were named, with their numbers. */
  all(): (readonly [number, FactStatement])[] {
    return [...this.#numbers].map(
      ([id, number]) => [number, this.#known.get(id) ?? unexplained(id)] as const,
    );
  }
}

function unexplained(id: string): FactStatement {
  return { id, says: [], signatures: [], log: undefined };
}
