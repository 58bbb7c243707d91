import { pathEnd } from '../../../../contract/words/text.ts';
import { markLabel } from '../../../../contract/words/trust.ts';
import { shownKinds } from '../../kinds.ts';
import { exactTime, shortTime } from '../../times.ts';
import type { GraphEdge } from '../graph.ts';
import { isFlow, type ShownEdge } from '../shown.ts';

export interface Label {
  /** Empty for inputs and outputs, because the direction of their line shows the role. */
  readonly words: string;
  /** Empty if another line of the same statement has it. */
  readonly time: string;
  /** Everything about the line, with exact times. */
  readonly title: string;
}

const longestWords = 24;
const titleRows = 8;
const characterWidth = 7.5;

/** The label of each line. The time of a statement is on one of its lines, if possible on an output. */
export function lineLabels(lines: readonly ShownEdge[]): ReadonlyMap<ShownEdge, Label> {
  const timed = new Map<string, ShownEdge>();
  for (const line of lines) {
    for (const { statement, role, timestamp } of line.edges)
      if (timestamp !== undefined && (role === 'output' || !timed.has(statement))) timed.set(statement, line);
  }
  return new Map(
    lines.map((line) => {
      const own = line.edges.filter(({ statement }) => timed.get(statement) === line);
      const times = new Set(own.map(({ timestamp = '' }) => shortTime(timestamp)));
      const [time = ''] = times;
      return [line, { words: wordsOf(line), time: times.size === 1 ? time : '', title: titleOf(line) }];
    }),
  );
}

/** The text on the line. */
export function labelText({ words, time }: Label): string {
  return [words, time].filter((text) => text !== '').join(' · ');
}

/** In units of the drawing. */
export function labelWidth(label: Label | undefined): number {
  return label ? labelText(label).length * characterWidth : 0;
}

function wordsOf({ edges }: ShownEdge): string {
  const words = edges
    .filter((edge) => !isFlow(edge) || edge.path !== undefined)
    .map(
      ({ role, type, path }) =>
        (path && pathEnd(path, longestWords)) ?? type ?? shownKinds.roles[role]?.word ?? role,
    );
  const isUnverified = edges.some(({ unverified }) => unverified);
  const marks = edges.map((edge) => (isOfNode(edge) ? undefined : markLabel(edge.trust)));
  const all = [...new Set([...words, ...(isUnverified ? ['unverified'] : []), ...marks])];
  const text = all.filter((word) => word !== undefined).join(', ');
  return text.length > longestWords ? `${text.slice(0, longestWords - 1)}…` : text;
}

/** A statement that is a node has its mark itself. */
function isOfNode({ statement, from, to }: GraphEdge): boolean {
  return statement === from || statement === to;
}

function titleOf({ edges }: ShownEdge): string {
  const rows = edges.map(
    ({ kind, role, type, path, timestamp }) =>
      `${path === undefined ? '' : `contains ${path}, `}${type ?? (kind === role ? role : `${kind}: ${role}`)}${timestamp === undefined ? '' : `, ${exactTime(timestamp)}`}`,
  );
  const rest = rows.length > titleRows ? [`and ${rows.length - titleRows} more`] : [];
  return [...rows.slice(0, titleRows), ...rest].join('\n');
}
