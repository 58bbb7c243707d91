import { bareId } from '../../../contract/words/text.ts';
import { allMarks, type TrustMark } from '../../../contract/words/trust.ts';
import { part } from '../element.ts';

const directions = ['upstream', 'downstream', 'both'] as const;

/** The parameters of a lineage. They are in the address of the page, so a link contains all of them. */
export interface Question {
  readonly direction: (typeof directions)[number];
  readonly depth: number;
  readonly graphId: string | null;
  /** Whether facts are drawn. */
  readonly facts: boolean;
  /** The statements to draw; null for all. */
  readonly trust: TrustMark | null;
  /** Whether computations that were retracted are loaded. */
  readonly retracted: boolean;
}

const depthDefault = 10;
const depthLimit = 100;

/** Keeps the controls and the address of the page in sync. */
export class QuestionForm {
  readonly #form = part('question', HTMLFormElement);

  /** @param changed called without `before` if everything must be loaded again. */
  constructor(changed: (question: Question, before: Question | undefined) => void) {
    this.#form.addEventListener('submit', (event) => event.preventDefault());
    this.#form.addEventListener('change', () => {
      const before = this.question;
      history.pushState(null, '', this.#address());
      this.#show();
      changed(this.question, before);
    });
    addEventListener('popstate', () => {
      this.#show();
      changed(this.question, undefined);
    });
    const more = part('more-options');
    more.addEventListener('click', () => {
      more.ariaExpanded = String(more.ariaExpanded !== 'true');
    });
    this.#show();
  }

  /** Missing and invalid parameters have their defaults. */
  get question(): Question {
    const { searchParams } = new URL(location.href);
    const given = searchParams.get('direction');
    return {
      direction: directions.find((direction) => direction === given) ?? 'both',
      depth: depthIn(searchParams.get('depth') ?? ''),
      graphId: searchParams.get('graph_id'),
      facts: searchParams.get('facts') === 'all',
      trust: allMarks.find((mark) => mark === searchParams.get('trust')) ?? null,
      retracted: searchParams.get('include_retracted') === 'true',
    };
  }

  /** The address of the page with the parameters that the controls show. */
  #address(): URL {
    const fields = new FormData(this.#form);
    const url = new URL(location.href);
    setOrLeaveOut(url, 'direction', String(fields.get('direction')), 'both');
    setOrLeaveOut(url, 'depth', String(depthIn(String(fields.get('depth')))), String(depthDefault));
    setOrLeaveOut(url, 'facts', fields.has('facts') ? 'all' : '', '');
    setOrLeaveOut(url, 'trust', String(fields.get('trust') ?? ''), '');
    setOrLeaveOut(url, 'include_retracted', fields.has('retracted') ? 'true' : '', '');
    return url;
  }

  #show(): void {
    const { direction, depth, facts, trust, retracted } = this.question;
    const radios = this.#form.elements.namedItem('direction');
    if (radios instanceof RadioNodeList) radios.value = direction;
    part('depth', HTMLInputElement).value = String(depth);
    part('facts', HTMLInputElement).checked = facts;
    part('trust', HTMLSelectElement).value = trust ?? '';
    part('retracted', HTMLInputElement).checked = retracted;
  }
}

/** The page of another identifier with the same parameters. */
export function addressOf(address: URL, id: string): URL {
  const url = new URL(address);
  url.pathname = `/ui/lineage/${encodeURIComponent(bareId(id))}`;
  url.hash = '';
  return url;
}

function depthIn(text: string): number {
  return /^\d{1,3}$/.test(text) ? Math.min(Number(text), depthLimit) : depthDefault;
}

function setOrLeaveOut({ searchParams }: URL, name: string, value: string, usual: string): void {
  if (value === usual) searchParams.delete(name);
  else searchParams.set(name, value);
}
