import { html } from 'hono/html';
import { bareId } from '../../contract/words/text.ts';
import type { Html } from '../header.ts';
import { browserPage, shellWord } from '../report/commands.ts';
import type { TemplateReport } from './references.ts';
import { templateNames } from './templates.ts';

/** How a reader checks the file. */
export function checkingSection(report: TemplateReport): Html {
  const steps = stepsOf(report);
  return html`<section aria-labelledby="checking">
<h2 id="checking">How to check it yourself</h2>
<p>${browserPage(report.source)}</p>
<ol class="commands">${steps.map(
    ([why, line]) => html`<li><p>${why}</p>
<pre tabindex="0"><code>${line}</code></pre></li>`,
  )}</ol>
</section>`;
}

function stepsOf({
  policy,
  source,
  car,
  facts,
  logKeys = [],
  serviceDids = [],
}: TemplateReport): (readonly [string, string])[] {
  const { name } = policy.document;
  // A template of the reader's own is a file, or in the CAR under its identifier.
  const template = templateNames.includes(name) ? name : car === undefined ? 'TEMPLATE.yaml' : policy.cid;
  const file = car ?? (source.kind === 'manifest' ? source.file : undefined);
  const [{ subject: first = '' } = {}, ...others] = facts;
  const subject = shellWord(bareId(first));
  if (file === undefined && source.kind === 'service') {
    const service = `CAIRN_URL=${shellWord(source.url)}`;
    return [
      [
        'Make it again, with a CAR of everything that it rests on:',
        `${service} cairn report ${subject} --template ${template} -o again.html --car evidence.car`,
      ],
      [
        'Verify every identifier, hash and signature in the CAR, without the service:',
        'cairn verify evidence.car',
      ],
    ];
  }
  const evidence = shellWord(file ?? '');
  // Several subjects are the results of a manifest.
  const about = others.length > 0 ? evidence : `${subject} --manifest ${evidence}`;
  const keys = logKeys.map((key) => ` --log-key ${shellWord(key)}`).join('');
  const trusted = `${keys}${serviceDids.map((did) => ` --service ${shellWord(did)}`).join('')}`;
  return [
    ['Verify every identifier, hash and signature in the evidence:', `cairn verify ${evidence}${keys}`],
    [
      'Make this file again from the evidence, offline:',
      `cairn report ${about} --template ${template}${trusted} -o again.html`,
    ],
    ['Or only check the demands:', `cairn check ${about} --policy ${template}${trusted}`],
  ];
}
