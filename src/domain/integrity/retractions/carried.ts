import type { IdentifiedRow } from '../ports.ts';
import {
  claimedRetraction,
  type RetractionRecord,
  type Retractions,
  type Withdrawal,
} from './retraction-records.ts';

/** A retraction that does not count here, because nobody can tell who it is by. */
export type ClaimedRetraction = Pick<Withdrawal, 'retraction' | 'subject' | 'registeredBy' | 'reason'>;

/** The retractions in a manifest. Memory grows with their number. */
export class CarriedRetractions implements Pick<Retractions, 'among'> {
  readonly #bySubject = new Map<string, RetractionRecord[]>();
  readonly #byRetraction = new Map<string, RetractionRecord[]>();
  readonly #proven = new Set<string>();

  get isEmpty(): boolean {
    return this.#bySubject.size === 0;
  }

  has(subject: string): boolean {
    return this.#bySubject.has(subject);
  }

  note(rows: readonly IdentifiedRow[]): void {
    for (const row of rows) {
      const found = claimedRetraction(row, 0);
      if (!found || this.#byRetraction.has(found.retraction)) continue;
      const record = { ...found, withdrawn: found.subject };
      this.#byRetraction.set(found.retraction, [record]);
      this.#bySubject.getOrInsertComputed(found.subject, () => []).push(record);
    }
  }

  /** In a manifest everything is read, so limits do not apply. */
  readonly among: Retractions['among'] = async (index, values, _limit, [authority] = []) => {
    const records = index === 'byWithdrawn' ? this.#bySubject : this.#byRetraction;
    return values.map((value) => {
      const found = records.get(String(value)) ?? [];
      return authority === undefined ? found : found.filter((one) => one.authority === authority);
    });
  };

  noteProven(subject: string): void {
    this.#proven.add(subject);
  }

  get claimed(): readonly ClaimedRetraction[] {
    return [...this.#bySubject].flatMap(([subject, found]) => (this.#proven.has(subject) ? [] : found));
  }
}
