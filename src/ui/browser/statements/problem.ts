import { part } from '../element.ts';
import { failureParts } from '../failed.ts';

/** What to do next, by the status of an answer. */
const advices: Readonly<Record<number, string>> = {
  401: 'This service asks for an access token, and a page has none. On the command line, run “cairn login” and then “cairn graph list” or “cairn lineage”.',
  403: 'Ask an administrator of the project for the permission to view it.',
  404: 'Check the identifier. It may be stored elsewhere, or you may not see it.',
};

/** Says what is wrong and what to do. Offers to try again if that can help. */
export function showProblem(error: unknown, retry: () => void): void {
  part('problem').replaceChildren(...failureParts(error, advices, retry));
}

/** Runs the loading of a page, and shows why it fails. */
export async function loading(load: () => Promise<void>, place: HTMLElement): Promise<void> {
  try {
    part('problem').replaceChildren();
    await load();
  } catch (error) {
    place.querySelector('.waiting')?.remove();
    showProblem(error, () => void loading(load, place));
  } finally {
    place.removeAttribute('aria-busy');
  }
}
