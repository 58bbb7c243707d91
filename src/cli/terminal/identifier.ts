import { shortId } from '../../contract/words/text.ts';
import type { Io } from './io.ts';
import { printableLine } from './output.ts';

const usualWidth = 120;

/** The columns of the terminal; 120 if the output goes elsewhere. */
export function lineWidth({ stdout }: Pick<Io, 'stdout'>): number {
  return (stdout.isTTY && stdout.columns) || usualWidth;
}

/** An identifier for people: its name, if it has one, and its short form. `isFull`: both are whole. */
export function shownIdentifier(id: string, name?: string, { isFull = false, nameWidth = 60 } = {}): string {
  const text = printableLine(isFull ? id : shortId(id));
  if (name === undefined) return text;
  const whole = printableLine(name);
  return `${isFull ? whole : cutLine(whole, nameWidth)} (${text})`;
}

/** Ends a line that is too long with an ellipsis. */
export function cutLine(line: string, width: number): string {
  let columns = 0;
  let end = 0;
  let last = 0;
  for (const character of line) {
    columns += columnsOf(character);
    if (columns > width) return `${line.slice(0, last)}…`;
    end += character.length;
    if (columns < width) last = end;
  }
  return line;
}

/** East Asian characters and emoji. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

function columnsOf(character: string): number {
  if (/[\p{M}\p{Cf}]/u.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
