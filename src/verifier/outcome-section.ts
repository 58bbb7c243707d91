import { element } from '../ui/browser/element.ts';
import type { Outcome } from './collected.ts';

const findingsOpen = 10;

/** What was found about a file. @param url of its JSON. @param id of its heading. */
export function outcomeSection(outcome: Outcome, url: string, id: string): HTMLElement {
  const { path, tone, headline, findings, moreFindings, facts, command, exitCode, json, saveAs } = outcome;
  const [first, others] = [findings.slice(0, findingsOpen), findings.slice(findingsOpen)];
  const unsaid =
    moreFindings > 0 && `and ${moreFindings.toLocaleString('en')} more, which the saved findings have`;
  const count = (others.length + moreFindings).toLocaleString('en');
  return element(
    'section',
    { class: `verdict ${tone}`, 'aria-labelledby': `${id}-file ${id}`, 'data-exit-code': String(exitCode) },
    element('p', { class: 'file', id: `${id}-file` }, path),
    element('h2', { id }, capital(headline, path)),
    facts.length > 0 && list('facts', facts),
    first.length > 0 && list('findings', first),
    others.length > 0 &&
      element('details', {}, element('summary', {}, `${count} more`), list('findings', others, unsaid)),
    element(
      'p',
      { class: 'quiet' },
      'The same as ',
      element('code', {}, command),
      `, which ends with exit code ${exitCode}. `,
      json.size > 0 && element('a', { href: url, download: saveAs }, 'Save the findings as JSON'),
    ),
  );
}

/** The name of the file stays as it is. */
function capital(headline: string, path: string): string {
  return headline.startsWith(path) ? headline : headline.charAt(0).toUpperCase() + headline.slice(1);
}

/** Says that a policy was not applied, so that no verdict is taken for its. */
export function unappliedSection(policy: string, id: string): HTMLElement {
  return element(
    'section',
    { class: 'verdict neutral', 'aria-labelledby': id },
    element('p', { class: 'file' }, policy),
    element('h2', { id }, 'Not applied: there is no manifest'),
    element('p', {}, 'Drop the manifest to which the policy applies, too.'),
  );
}

function list(name: string, texts: readonly string[], last: string | false = false): HTMLElement {
  const items = texts.map((text) => element('li', {}, text));
  return element('ul', { class: name }, ...items, last && element('li', {}, last));
}
