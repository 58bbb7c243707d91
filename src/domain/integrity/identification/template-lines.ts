import canonize, { type Term } from 'rdf-canonize';
import { sha256Hex } from '../identifiers/hashing.ts';
import { sortedNQuads } from './rdfc.ts';
import { doubleText, type Notation } from './template-probes.ts';
import type { Slot, TemplateQuad } from './template-quads.ts';
import type { Value } from './template-shape.ts';

/** A text, the number of a blank node, or the value with an index between two texts. */
type Part = string | number | ValuePart;

interface ValuePart {
  readonly at: number;
  readonly notation: Notation;
  readonly before: string;
  readonly after: string;
}

interface Line {
  readonly subject: Part;
  readonly predicate: string;
  readonly object: Part;
  readonly graph: Part;
}

/** The template's quads as N-Quads with gaps. */
export interface TemplateLines {
  readonly lines: readonly Line[];
  readonly blankNodes: number;
}

const subject: Term = { termType: 'BlankNode', value: 's' };
const predicate: Term = { termType: 'NamedNode', value: 'x:p' };
const graph: Term = { termType: 'DefaultGraph', value: '' };
const textBefore = '_:s <x:p> '.length;
const textAfter = ' .\n'.length;

export function templateLines(quads: readonly TemplateQuad[]): TemplateLines {
  const blankNodes = new Map<string, number>();
  const partOf = ({ at, notation = 'plain', ...term }: Slot): Part => {
    if (term.termType === 'DefaultGraph') return '';
    if (term.termType === 'BlankNode') return blankNodes.getOrInsert(term.value, blankNodes.size);
    const text = textOf(term);
    return at === undefined ? text : { at, notation, before: text.slice(0, 1), after: text.slice(1) };
  };
  const lines = quads.map(
    (quad): Line => ({
      subject: partOf(quad.subject),
      predicate: ` ${textOf(quad.predicate)} `,
      object: partOf(quad.object),
      graph: partOf(quad.graph),
    }),
  );
  return { lines, blankNodes: blankNodes.size };
}

/** The N-Quads form of an IRI or a literal. */
function textOf(term: Term): string {
  const { serializeQuadComponents } = canonize.NQuads;
  return serializeQuadComponents(subject, predicate, term, graph).slice(textBefore, -textAfter);
}

/** The parts of a line, in which blank nodes are numbers. */
type Row = readonly [
  subject: string | number,
  predicate: string,
  object: string | number,
  graph: string | number,
];

/**
 * The canonical N-Quads of a template with these values.
 * @returns undefined if blank nodes look alike, so that the whole algorithm of RDFC-1.0 is needed.
 */
export function filledLines(
  { lines, blankNodes }: TemplateLines,
  values: readonly Value[],
): string | undefined {
  const rows = lines.flatMap((line) => rowsOf(line, values));
  if (blankNodes < 2) return joined(new Set(rows.map((row) => textOfRow(row, ['_:c14n0']))));
  const drafts = Array.from({ length: blankNodes }, (_, number) => `_:${number}`);
  const distinct = [...new Map(rows.map((row) => [textOfRow(row, drafts), row])).values()];
  const labels = canonicalLabels(distinct, blankNodes);
  return labels && joined(distinct.map((row) => textOfRow(row, labels)));
}

function joined(lines: Iterable<string>): string {
  return sortedNQuads([...lines]).join('');
}

function rowsOf({ subject, predicate, object, graph }: Line, values: readonly Value[]): Row[] {
  const value = typeof object === 'object' ? (values[object.at] ?? '') : '';
  const items = Array.isArray(value) ? (value as readonly string[]) : [value as string | number];
  return items.map((item) => [
    filled(subject, values),
    predicate,
    typeof object === 'object' ? valueText(object, item) : object,
    filled(graph, values),
  ]);
}

function filled(part: Part, values: readonly Value[]): string | number {
  return typeof part === 'object' ? valueText(part, values[part.at] as string) : part;
}

function valueText({ notation, before, after }: ValuePart, value: string | number): string {
  if (typeof value === 'string') return before + escaped(value) + after;
  return before + (notation === 'double' ? doubleText(value) : String(value)) + after;
}

/** Texts without characters that N-Quads escapes. */
const plainText = /^[^\p{Cc}"\\]*$/u;

/** The text of a literal. Values that are IRIs have nothing to escape. */
function escaped(value: string): string {
  if (plainText.test(value)) return value;
  const datatype = { termType: 'NamedNode', value: 'http://www.w3.org/2001/XMLSchema#string' } as const;
  return textOf({ termType: 'Literal', value, datatype }).slice(1, -1);
}

function textOfRow([subject, predicate, object, graph]: Row, labels: readonly string[]): string {
  const text = (part: string | number) => (typeof part === 'number' ? labels[part] : part);
  return `${text(subject)}${predicate}${text(object)}${graph === '' ? '' : ` ${text(graph)}`} .\n`;
}

/** RDFC-1.0, 4.4.3, steps 2 to 4: the labels of blank nodes that all have different quads. */
function canonicalLabels(rows: readonly Row[], blankNodes: number): string[] | undefined {
  const others = Array.from({ length: blankNodes }, () => '_:z');
  const hashes = others.map((_, number) => {
    const labels = others.with(number, '_:a');
    const own = rows.filter(([subject, , object, graph]) => [subject, object, graph].includes(number));
    return sha256Hex(joined(own.map((row) => textOfRow(row, labels))));
  });
  const sorted = [...new Set(hashes)].sort();
  return sorted.length === blankNodes ? hashes.map((one) => `_:c14n${sorted.indexOf(one)}`) : undefined;
}
