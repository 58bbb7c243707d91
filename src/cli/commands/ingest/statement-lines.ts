import { isObject } from '../../../domain/json/is-object.ts';
import type { Line } from '../../client/lines.ts';
import { failUsage } from '../../terminal/failure.ts';

const linesTried = 3;

/**
 * Passes the lines on, unless the first ones show that the file does not have one statement per line.
 * @throws Failure (usage).
 */
export async function* statementLines(lines: AsyncIterable<Line>): AsyncGenerator<Line> {
  const seen: Line[] = [];
  const texts: string[] = [];
  let isSure = false;
  for await (const line of lines) {
    if (!isSure) {
      seen.push(line);
      const text = Buffer.from(line.bytes ?? []).toString();
      if (text.trim() !== '') texts.push(text.trim());
      isSure = texts.some(isObjectText);
      if (!isSure && texts.length >= linesTried) throwNotLines(texts);
      if (isSure) yield* seen.splice(0);
    } else yield line;
  }
  if (!isSure && texts.length > 1) throwNotLines(texts);
  yield* seen;
}

function isObjectText(text: string): boolean {
  try {
    return isObject(JSON.parse(text.replace(/^\ufeff/, '')));
  } catch {
    return false;
  }
}

function throwNotLines([first = '']: readonly string[]): never {
  const advice = first.startsWith('[')
    ? ` This looks like a list. Convert it with: jq -c '.[]' FILE | cairn ingest -`
    : first.startsWith('{')
      ? ' This looks like pretty-printed JSON. Convert it with: jq -c . FILE | cairn ingest -'
      : '';
  failUsage(
    `The input must have one JSON statement per line, and its first lines are not JSON objects.${advice}`,
  );
}
