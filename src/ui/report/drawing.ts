import { html } from 'hono/html';
import { pathEnd, shortId } from '../../contract/words/text.ts';
import type { Origins } from '../../domain/integrity/report/origins.ts';
import type { Report } from '../../domain/integrity/report/report.ts';
import type { Html } from '../header.ts';
import { type DrawnNode, nodeSize, type Picture, pictureOf } from './picture.ts';
import { markOf } from './standing.ts';
import { plain, sortOf, titleOf } from './words.ts';

const titleLength = { thing: 21, step: 19, stack: 21 };
const lineLength = 26;
const stepWords = {
  claimed: '',
  signed: ', signed',
  invalid: ', signature not valid now',
  revoked: ', REVOKED',
  retracted: ', RETRACTED',
} as const;

/** The origins as a drawing. The list beside it says the same in words. */
export function drawing(report: Report, origins: Origins): Html {
  const picture = pictureOf(origins);
  const { width, height, nodes, edges } = picture;
  return html`<figure>
<div class="drawing">
<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="What ${titleOf(report, origins.start)} was made from. The list below says the same.">
${edges.map(({ points, isProgram }) => edge(points, isProgram))}
${nodes.map((node) => drawnNode(report, origins.start, node))}
</svg>
</div>
<figcaption>A box is a file or another thing, a rounded box is a computation. Arrows lead from what went in to what came out. A dashed arrow comes from the program that ran.</figcaption>
</figure>`;
}

function edge(points: Picture['edges'][number]['points'], isProgram: boolean): Html {
  const path = points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`).join(' ');
  const end = points.at(-1) ?? { x: 0, y: 0 };
  const before = points.at(-2) ?? end;
  const angle = round((Math.atan2(end.y - before.y, end.x - before.x) * 180) / Math.PI);
  return html`<path class="edge${isProgram ? ' program' : ''}" d="${path}"/><path class="head" d="M0 0L-8 -4L-8 4Z" transform="translate(${round(end.x)} ${round(end.y)}) rotate(${angle})"/>`;
}

function drawnNode(report: Report, start: string, node: Picture['nodes'][number]): Html {
  const { width, height } = nodeSize;
  const { id, kind, x, y } = node;
  const [title, below] = textOf(report, node);
  const classes = ['node', kind, ...(id === start ? ['start'] : []), ...(node.hasMore ? ['more'] : [])];
  return html`<g class="${classes.join(' ')}" transform="translate(${round(x - width / 2)} ${round(y - height / 2)})">
<rect width="${width}" height="${height}" rx="${kind === 'step' ? height / 2 : 5}"/>
<text x="${width / 2}" y="19" class="title">${cut(title, titleLength[kind])}</text>
<text x="${width / 2}" y="36">${cut(below, lineLength)}</text>
</g>`;
}

function textOf(report: Report, { id, kind, count, hasMore }: DrawnNode): readonly [string, string] {
  if (kind === 'stack') return [`${count} more`, 'not drawn one by one'];
  const title = titleOf(report, id);
  if (kind === 'thing') {
    if (hasMore) return [title, 'origins not drawn'];
    return [title, report.names.has(id) ? plain(shortId(id)) : sortOf(report, id)];
  }
  const statement = report.statements.find((one) => one.id === id);
  if (!statement) return [title, ''];
  const day = statement.time === null ? '' : new Date(statement.time).toISOString().slice(0, 10);
  return [title, plain(`${day}${stepWords[markOf(statement)]}`.replace(/^, /, ''))];
}

function cut(text: string, length: number): string {
  const letters = [...text];
  if (text.includes('/') || letters.length <= length) return pathEnd(text, length);
  return `${letters.slice(0, length - 1).join('')}…`;
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}
