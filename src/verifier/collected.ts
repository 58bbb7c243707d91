import type { Results } from '../cli/commands/verify/results.ts';
import { exitCodes } from '../cli/terminal/failure.ts';
import { printable } from '../cli/terminal/output.ts';
import type { Answer } from '../domain/integrity/policies/verification.ts';

/** What was found about one file. */
export interface Outcome {
  readonly path: string;
  readonly tone: 'good' | 'neutral' | 'bad';
  readonly headline: string;
  /** Findings as text, the first ones. */
  readonly findings: readonly string[];
  readonly moreFindings: number;
  /** Facts about the whole file. */
  readonly facts: readonly string[];
  /** The command line that does the same, and its exit code. */
  readonly command: string;
  readonly exitCode: number;
  /** All findings as JSON in lines, as `cairn verify --json` prints them. */
  readonly json: Blob;
  /** The name of the file with the JSON. */
  readonly saveAs: string;
}

const findingsShown = 200;
const pieceLength = 1 << 20;
const readEvery = 1 << 20;
const summaryStart = '{"summary"';

/** What the last JSON says, of a manifest, a receipt, a credential, a statement or a blob. */
interface Said {
  readonly summary?: { readonly verdict: Answer };
  readonly kind?: string;
  /** Whether the log or the issuer is among those whom the reader trusts. */
  readonly known?: boolean;
  readonly compared?: number;
  readonly faults?: readonly unknown[];
}

/** Collects the results of a verification. Keeps the JSON of many findings outside of the memory of scripts. */
export class Collected implements Results {
  readonly #path: string;
  readonly #command: string;
  readonly #onRead: (bytes: number) => void;
  readonly #findings: string[] = [];
  #more = 0;
  /** The lines about the whole file. */
  #whole: readonly string[] = [];
  /** The last line of JSON, and of a manifest its summary. */
  #said = '';
  #piece = '';
  #json = new Blob();
  #read = 0;

  constructor(path: string, command: string, onRead: (bytes: number) => void) {
    this.#path = path;
    this.#command = command;
    this.#onRead = onRead;
  }

  async write(json: () => string, text: () => string): Promise<void> {
    const line = json();
    if (line !== '' && !this.#said.startsWith(summaryStart)) this.#said = line;
    this.#piece += line;
    if (this.#piece.length > pieceLength) this.#store();
    const words = text();
    const head = printable(`${this.#path}: `);
    if (words.startsWith(head)) this.#whole = printable(words).trimEnd().slice(head.length).split('\n');
    else if (words !== '') this.#add(words);
  }

  read(bytes: number): void {
    if (bytes - this.#read < readEvery) return;
    this.#read = bytes;
    this.#onRead(bytes);
  }

  /** @param failure why it did not succeed. */
  outcome(exitCode: number, failure: string): Outcome {
    this.#store();
    const [words = this.#findings.at(-1) ?? '', ...facts] = this.#whole;
    const isInWords = failure === '' || (failure === 'Verification failed.' && words !== '');
    return {
      path: this.#path,
      tone: this.#tone(exitCode),
      headline: isInWords ? words : failure,
      findings: this.#findings,
      moreFindings: this.#more,
      facts: [...(isInWords || words === '' ? [] : [words]), ...facts].map((fact) => fact.trim()),
      command: this.#command,
      exitCode,
      json: this.#json,
      saveAs: `${this.#path}.ndjson`,
    };
  }

  #tone(exitCode: number): Outcome['tone'] {
    const { summary, kind = '', known, compared, faults }: Said = JSON.parse(this.#said || '{}');
    if (exitCode === exitCodes.usage) return 'neutral';
    // Without anything to compare with, nothing is wrong.
    if (exitCode !== exitCodes.done) return compared === 0 && faults?.length === 0 ? 'neutral' : 'bad';
    const isNamed = ['receipt', 'credential'].includes(kind);
    const isKnown = summary ? summary.verdict === 'known' : known || !isNamed;
    return isKnown ? 'good' : 'neutral';
  }

  #add(finding: string): void {
    if (this.#findings.length < findingsShown) this.#findings.push(printable(finding).trimEnd());
    else this.#more += 1;
  }

  #store(): void {
    this.#json = new Blob([this.#json, this.#piece], { type: 'application/x-ndjson' });
    this.#piece = '';
  }
}
