import canonize, { type Term } from 'rdf-canonize';
import { sha256Hex } from '../identifiers/hashing.ts';
import { sortedNQuads, surrogate } from './rdfc.ts';
import { doubleText, type Notation, type Slot, type TemplateQuad } from './template-quads.ts';
import type { Value } from './template-shape.ts';
import { mergedTexts } from './template-text.ts';

/** A text, the number of a blank node, or a gap for the value with an index. */
type Part = string | number | Gap;

interface Gap {
  readonly at: number;
  readonly notation: Notation;
}

interface Line {
  readonly parts: readonly Part[];
  /** The index of the list that has an own line for each item. */
  readonly list: number | undefined;
}

/** The template's quads as N-Quads with gaps. */
export interface TemplateLines {
  readonly lines: readonly Line[];
  /** Blank nodes that need labels. A single one always has the label c14n0. */
  readonly blankNodes: number;
}

const subject: Term = { termType: 'BlankNode', value: 's' };
const predicate: Term = { termType: 'NamedNode', value: 'x:p' };
const graph: Term = { termType: 'DefaultGraph', value: '' };
const textBefore = '_:s <x:p> '.length;
const textAfter = ' .\n'.length;

export function templateLines(quads: readonly TemplateQuad[]): TemplateLines {
  const terms = quads.flatMap(({ subject, object, graph }) => [subject, object, graph]);
  const labels = [...new Set(terms.flatMap((term) => (term.termType === 'BlankNode' ? [term.value] : [])))];
  const partsOf = ({ at, notation = 'plain', isList: _, ...term }: Slot): Part[] => {
    if (term.termType === 'BlankNode') return [labels.length === 1 ? '_:c14n0' : labels.indexOf(term.value)];
    const text = textOf(term);
    return at === undefined ? [text] : [text.slice(0, 1), { at, notation }, text.slice(1)];
  };
  const lines = quads.map(({ subject, predicate, object, graph }) => ({
    parts: mergedTexts<Exclude<Part, string>>([
      ...partsOf(subject),
      ` ${textOf(predicate)} `,
      ...partsOf(object),
      ...(graph.termType === 'DefaultGraph' ? [] : [' ', ...partsOf(graph)]),
      ' .\n',
    ]),
    list: object.isList ? object.at : undefined,
  }));
  // In this order most lines are sorted already.
  lines.sort(({ parts: one }, { parts: other }) => (orderText(one) < orderText(other) ? -1 : 1));
  return { lines, blankNodes: labels.length === 1 ? 0 : labels.length };
}

/** Keeps lines with one subject together, ordered by predicate. */
function orderText(parts: readonly Part[]): string {
  return parts.map((part) => (typeof part === 'object' ? part.at : part)).join('');
}

/** The N-Quads form of an IRI or a literal. */
function textOf(term: Term): string {
  const { serializeQuadComponents } = canonize.NQuads;
  return serializeQuadComponents(subject, predicate, term, graph).slice(textBefore, -textAfter);
}

/** A line whose gaps are filled: texts and the numbers of blank nodes. */
type Row = readonly (string | number)[];

/**
 * The canonical N-Quads of a template with these values.
 * @returns undefined if blank nodes look alike, so that the whole algorithm of RDFC-1.0 is needed.
 */
export function filledLines(
  { lines, blankNodes }: TemplateLines,
  values: readonly Value[],
): string | undefined {
  const rows: Row[] = [];
  for (const { parts, list } of lines) {
    if (list === undefined) rows.push(filledRow(parts, values));
    else for (const item of values[list] as readonly string[]) rows.push(filledRow(parts, values, item));
  }
  if (blankNodes === 0) return joined(rows.map(([line]) => line as string));
  const drafts = Array.from({ length: blankNodes }, (_, number) => `_:${number}`);
  const distinct = [...new Map(rows.map((row) => [labelled(row, drafts), row])).values()];
  const labels = canonicalLabels(distinct, blankNodes);
  return labels && joined(distinct.map((row) => labelled(row, labels)));
}

/** Sorted and without duplicates, which most lines are from the start. */
function joined(lines: readonly string[]): string {
  const isAscending = lines.every((line, at) => at === 0 || String(lines[at - 1]) < line);
  const text = lines.join('');
  if (isAscending && !surrogate.test(text)) return text;
  return sortedNQuads(lines)
    .filter((line, at, sorted) => line !== sorted[at - 1])
    .join('');
}

function filledRow(parts: readonly Part[], values: readonly Value[], item?: string): Row {
  const row: (string | number)[] = [];
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else if (typeof part === 'object') text += valueText(part, item, values);
    else {
      row.push(text, part);
      text = '';
    }
  }
  row.push(text);
  return row;
}

function valueText({ at, notation }: Gap, item: string | undefined, values: readonly Value[]): string {
  const value = values[at];
  if (typeof value === 'number') return notation === 'double' ? doubleText(value) : String(value);
  return escaped(typeof value === 'string' ? value : String(item));
}

function labelled(row: Row, labels: readonly string[]): string {
  let text = '';
  for (const part of row) text += typeof part === 'number' ? labels[part] : part;
  return text;
}

/** Texts without characters that N-Quads escapes. */
const plainText = /^[^\p{Cc}"\\]*$/u;

/** The text of a literal. Values that are IRIs have nothing to escape. */
function escaped(value: string): string {
  if (plainText.test(value)) return value;
  const datatype = { termType: 'NamedNode', value: 'http://www.w3.org/2001/XMLSchema#string' } as const;
  return textOf({ termType: 'Literal', value, datatype }).slice(1, -1);
}

/** RDFC-1.0, 4.4.3, steps 2 to 4: the labels of blank nodes that all have different quads. */
function canonicalLabels(rows: readonly Row[], blankNodes: number): string[] | undefined {
  const others = Array.from({ length: blankNodes }, () => '_:z');
  const hashes = others.map((_, number) => {
    const labels = others.with(number, '_:a');
    const own = rows.filter((row) => row.includes(number)).map((row) => labelled(row, labels));
    return sha256Hex(sortedNQuads(own).join(''));
  });
  const sorted = [...new Set(hashes)].sort();
  return sorted.length === blankNodes ? hashes.map((one) => `_:c14n${sorted.indexOf(one)}`) : undefined;
}
