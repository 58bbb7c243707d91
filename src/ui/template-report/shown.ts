import { html } from 'hono/html';
import { flatValues } from '../../contract/words/runs.ts';
import { counted } from '../../contract/words/text.ts';
import { doubtWords } from '../../contract/words/verdicts.ts';
import { fieldsOf } from '../../domain/integrity/policies/facts.ts';
import type {
  PlainValue,
  Shown,
  ShownContent,
  ShownFact,
} from '../../domain/integrity/policies/fill-chapters.ts';
import type { Html } from '../header.ts';
import { foreign, plain, when } from '../report/words.ts';
import type { ReportedSubject } from './references.ts';

const longestLine = 2_000;
const linesShown = 60;
const valuesShown = 100;

/** What a chapter prints under its labels. What nobody has said is left out, because the rules say so. */
export function shownPart(subject: ReportedSubject, shown: readonly Shown[]): Html {
  const rows = shown.map((one) => row(subject, one)).filter((one) => one !== undefined);
  return rows.length === 0 ? html`` : html`<dl class="shown">${rows}</dl>`;
}

function row(subject: ReportedSubject, { label, content, statements, doubts }: Shown): Html | undefined {
  const words = doubts.map(
    (one) => html`<p class="quiet">${foreign(doubtWords(one, subject.named), longestLine)}</p>`,
  );
  const rest = statements.length > 0 ? html` ${subject.references.links(statements)}` : '';
  const said = content && !isEmpty(content) ? html`${contentOf(subject, content)}${rest}` : undefined;
  if (said === undefined && words.length === 0) return undefined;
  return html`<dt>${foreign(label)}</dt><dd>${said ?? ''}${words}</dd>`;
}

function isEmpty(content: ShownContent): boolean {
  if (content.kind === 'facts') return content.items.length === 0;
  const { value } = content;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === '';
}

function contentOf(subject: ReportedSubject, content: ShownContent): Html {
  return content.kind === 'facts' ? factsTable(subject, content) : valueHtml(content.value);
}

function valueHtml(value: PlainValue, type?: string): Html {
  if (type === 'timestamp' && typeof value === 'string') return when(Date.parse(value));
  if (typeof value === 'string') return lines(value);
  if (typeof value !== 'object' || value === null) return html`${String(value)}`;
  if (isList(value) && value.every((one) => typeof one !== 'object'))
    return html`${value.slice(0, valuesShown).map((one, at) => html`${at > 0 ? ', ' : ''}${foreign(String(one), longestLine)}`)}${value.length > valuesShown ? ' …' : ''}`;
  const rows = [...flatValues(isList(value) ? { ...value } : value)];
  const more = rows.length - valuesShown;
  return html`<table class="values"><tbody>${rows
    .slice(0, valuesShown)
    .map(
      ([name, one]) =>
        html`<tr><th scope="row">${foreign(name)}</th><td>${foreign(one, longestLine)}</td></tr>`,
    )}</tbody></table>${more > 0 ? html`<p>And ${counted(more, 'more value')}.</p>` : ''}`;
}

function isList(value: PlainValue): value is readonly PlainValue[] {
  return Array.isArray(value);
}

/** Foreign text that may have several lines. */
function lines(text: string): Html {
  const all = text.split(/\r?\n/);
  const shown = all.slice(0, linesShown);
  return html`${shown.map((line, at) => html`${at > 0 ? html`<br>` : ''}${foreign(line, longestLine)}`)}${all.length > shown.length ? ' …' : ''}`;
}

/** The fields of each fact that a table has, in this order. Other facts have all their fields. */
const columns: Readonly<Record<string, readonly string[]>> = {
  artefact: ['name', 'kind', 'size', 'id'],
  computation: ['command', 'parameters', 'metrics', 'ended'],
  agent: ['name', 'id'],
  component: ['name', 'version', 'purl', 'licenses'],
  vulnerability: ['id', 'severity', 'state'],
  review: ['decision', 'comment', 'by', 'at'],
  declaration: ['text', 'by', 'at'],
  certificate: ['type', 'policy', 'valid_until', 'standing'],
  provenance: ['builder', 'build_type', 'source'],
  signature: ['signer', 'kind', 'standing', 'time'],
};

/** Without the columns that nothing fills. */
function factsTable(
  { references }: ReportedSubject,
  { fact, items, more }: ShownContent & { kind: 'facts' },
): Html {
  const all = columns[fact] ?? [...new Set(items.flatMap(({ fields }) => Object.keys(fields)))];
  const filled = all.filter((name) => items.some(({ fields }) => isSaid(fields[name])));
  const types = fieldsOf(fact) ?? {};
  const cell = ({ fields }: ShownFact, name: string) => {
    const value = fields[name];
    const isId = name === 'id' || name === 'purl';
    const text = isId && typeof value === 'string' ? html`<code>${plain(value, 500)}</code>` : undefined;
    return html`<td data-label="${title(name)}">${isSaid(value) ? (text ?? cellHtml(value, types[name]?.type)) : ''}</td>`;
  };
  return html`<table>
<thead><tr>${filled.map((name) => html`<th scope="col">${title(name)}</th>`)}<th scope="col">Evidence</th></tr></thead>
<tbody>${items.map(
    (item) =>
      html`<tr>${filled.map((name) => cell(item, name))}<td data-label="Evidence">${references.links(item.statements)}</td></tr>`,
  )}</tbody>
</table>${more > 0 ? html`<p>And ${more.toLocaleString('en')} more.</p>` : ''}`;
}

/** A value in a table. Members stand in lines. */
function cellHtml(value: PlainValue, type?: string): Html {
  if (typeof value !== 'object' || value === null || isList(value)) return valueHtml(value, type);
  const rows = [...flatValues(value)];
  return html`${rows
    .slice(0, valuesShown)
    .map(
      ([name, one], at) =>
        html`${at > 0 ? html`<br>` : ''}<span class="quiet">${foreign(name)}</span> ${foreign(one, longestLine)}`,
    )}${rows.length > valuesShown ? ' …' : ''}`;
}

function isSaid(value: PlainValue | undefined): value is PlainValue {
  if (value === undefined || value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

function title(field: string): string {
  const words = field.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
