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

/** @param values of the first document. Those of others mostly have the same order, so their lines are sorted already. */
export function templateLines(quads: readonly TemplateQuad[], values: readonly Value[]): TemplateLines {
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
  const drafts = labels.map((_, number) => `_:${number}`);
  const texts = escapedTexts(values);
  const filled = lines.map((line) => {
    const rows: Row[] = [];
    addRows(rows, line, values, texts);
    return { line, text: labelled(rows[0] ?? '', drafts) };
  });
  filled.sort((one, other) => (one.text < other.text ? -1 : 1));
  return { lines: filled.map(({ line }) => line), blankNodes: labels.length === 1 ? 0 : labels.length };
}

/** The N-Quads form of an IRI or a literal. */
function textOf(term: Term): string {
  const { serializeQuadComponents } = canonize.NQuads;
  return serializeQuadComponents(subject, predicate, term, graph).slice(textBefore, -textAfter);
}

/** A line whose gaps are filled: its text, or texts and the numbers of blank nodes. */
type Row = string | readonly (string | number)[];

/**
 * The canonical N-Quads of a template with these values.
 * @returns undefined if blank nodes look alike, so that the whole algorithm of RDFC-1.0 is needed.
 */
export function filledLines(
  { lines, blankNodes }: TemplateLines,
  values: readonly Value[],
): string | undefined {
  const texts = escapedTexts(values);
  const rows: Row[] = [];
  for (const line of lines) addRows(rows, line, values, texts);
  const labels = canonicalLabels(rows, blankNodes);
  return labels && joined(rows.map((row) => labelled(row, labels)));
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

/** The values that are texts, as N-Quads write them. Each is in several lines. */
function escapedTexts(values: readonly Value[]): string[] {
  return values.map((value) => (typeof value === 'string' ? escaped(value) : ''));
}

/** A list has a row for each item. */
function addRows(
  rows: Row[],
  { parts, list }: Line,
  values: readonly Value[],
  texts: readonly string[],
): void {
  if (list === undefined) rows.push(filledRow(parts, values, texts));
  else
    for (const item of values[list] as readonly string[])
      rows.push(filledRow(parts, values, texts, escaped(item)));
}

function filledRow(
  parts: readonly Part[],
  values: readonly Value[],
  texts: readonly string[],
  item = '',
): Row {
  const row: (string | number)[] = [];
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else if (typeof part === 'number') {
      row.push(text, part);
      text = '';
    } else {
      const value = values[part.at];
      if (typeof value === 'string') text += texts[part.at];
      else if (typeof value === 'number')
        text += part.notation === 'double' ? doubleText(value) : String(value);
      else text += item;
    }
  }
  return row.length === 0 ? text : [...row, text];
}

function labelled(row: Row, labels: readonly string[]): string {
  if (typeof row === 'string') return row;
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
function canonicalLabels(all: readonly Row[], blankNodes: number): string[] | undefined {
  if (blankNodes === 0) return [];
  const drafts = Array.from({ length: blankNodes }, (_, number) => `_:${number}`);
  const distinct = new Map(
    all.flatMap((row) => (typeof row === 'string' ? [] : [[labelled(row, drafts), row]])),
  );
  const rows = [...distinct.values()];
  const others = drafts.map(() => '_:z');
  const hashes = others.map((_, number) => {
    const labels = others.with(number, '_:a');
    const own = rows.filter((row) => row.includes(number)).map((row) => labelled(row, labels));
    return sha256Hex(sortedNQuads(own).join(''));
  });
  const sorted = [...new Set(hashes)].sort();
  return sorted.length === blankNodes ? hashes.map((one) => `_:c14n${sorted.indexOf(one)}`) : undefined;
}
