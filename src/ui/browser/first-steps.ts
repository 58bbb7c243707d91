import { part } from './element.ts';

/** What to type first, in place of what is not there yet. */
export function showFirstSteps(): void {
  part('found').hidden = true;
  part('service-url').textContent = location.origin;
  part('first-steps').hidden = false;
}
