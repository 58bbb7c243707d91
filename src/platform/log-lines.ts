const levels: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};

type LogEntry = Readonly<Record<string, unknown>>;

/** A line of the log for people: `15:04:05 INFO  Cairn listens on http://127.0.0.1:3050  data="…"`. */
export function lineForPeople(line: string): string {
  const { time, level, msg, err, ...fields }: LogEntry = JSON.parse(line);
  const at = new Date(String(time)).toTimeString().slice(0, 8);
  const known = Object.entries(fields).filter(([, value]) => value !== null && !isSaid(value, msg));
  const parts = [
    `${at} ${(levels[Number(level)] ?? '').padEnd(5)} ${msg ?? ''}`,
    ...known.map(([name, value]) => `${name}=${written(value)}`),
  ];
  return `${harmless(parts.join('  '))}\n${stackOf(err, msg)}`;
}

function isSaid(value: unknown, msg: unknown): boolean {
  return typeof value === 'string' && typeof msg === 'string' && msg.includes(value);
}

/** Texts without blanks need no quotes. */
function written(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

function stackOf(err: unknown, msg: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const { stack, message } = err as { readonly stack?: unknown; readonly message?: unknown };
  if (typeof stack !== 'string') return message === msg ? '' : `  ${harmless(String(message))}\n`;
  return stack
    .split('\n')
    .map((line) => `  ${harmless(line)}\n`)
    .join('');
}

/** Without characters that change what a terminal shows. */
function harmless(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '\ufffd');
}
