import { html } from 'hono/html';
import { counted } from '../../contract/words/text.ts';
import type { Report, ReportedStatement } from '../../domain/integrity/report/report.ts';
import type { Html } from '../header.ts';
import { markOf } from './standing.ts';
import { actor, kindWord, period } from './words.ts';

const actorsShown = 50;

interface Deeds {
  readonly registered: ReportedStatement[];
  operated: number;
  signed: number;
}

/** Section 3: who makes the statements. */
export function actorsSection(report: Report): Html {
  const actors = [...deedsOf(report.statements)];
  return html`<section aria-labelledby="s3">
<h2 id="s3">3. Who says so</h2>
<p>Each statement names its author. The name alone is a claim: section 4 says which statements are signed. Times are those that the authors gave.</p>
<table>
<thead><tr><th scope="col">Who</th><th scope="col">What they stated</th><th scope="col">When</th></tr></thead>
<tbody>${actors.slice(0, actorsShown).map(([did, deeds]) => row(report, did, deeds))}</tbody>
</table>
${actors.length > actorsShown ? html`<p>And ${counted(actors.length - actorsShown, 'further actor')}.</p>` : ''}
</section>`;
}

function deedsOf(statements: readonly ReportedStatement[]): Map<string, Deeds> {
  const actors = new Map<string, Deeds>();
  const deeds = (did: string) =>
    actors.getOrInsertComputed(did, () => ({ registered: [], operated: 0, signed: 0 }));
  for (const statement of statements) {
    for (const { role, identifier } of statement.references) {
      if (role === 'registeredBy') deeds(identifier).registered.push(statement);
      if (role === 'operatedBy') deeds(identifier).operated += 1;
    }
    if (markOf(statement) === 'signed' && statement.trust.by !== undefined)
      deeds(statement.trust.by).signed += 1;
  }
  return actors;
}

function row(report: Report, did: string, { registered, operated, signed }: Deeds): Html {
  const kinds = Map.groupBy(registered, ({ kind }) => kindWord(kind));
  const lines = [
    registered.length > 0 &&
      `Registered ${counted(registered.length, 'statement')}: ${[...kinds].map(([kind, all]) => `${kind} (${all.length})`).join(', ')}.`,
    operated > 0 && `Ran ${counted(operated, 'computation')}.`,
    signed > 0 && `Signed ${counted(signed, 'statement')}.`,
  ].filter((line) => line !== false);
  return html`<tr>
<td>${actor(report, did)}</td>
<td>${lines.join(' ')}</td>
<td>${registered.length === 0 ? '' : period(registered)}</td>
</tr>`;
}
