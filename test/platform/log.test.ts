import { expect, test } from 'vitest';
import { openLog } from '../../src/platform/log.ts';

function logged(
  options: { isTTY?: boolean; logFormat?: 'json' | 'text' },
  write: (log: ReturnType<typeof openLog>) => void,
) {
  const { isTTY = false, logFormat = null } = options;
  const lines: string[] = [];
  const stream = { isTTY, write: (line: string) => void lines.push(line) };
  write(openLog({ logLevel: 'info', logFormat }, stream));
  return lines.join('');
}

test('the log is for people on a terminal and JSON elsewhere, unless the setting says otherwise', () => {
  const hello = (log: ReturnType<typeof openLog>) =>
    log.info({ url: 'http://127.0.0.1:1', ms: 2 }, 'Listens on http://127.0.0.1:1');
  const text = /^\d\d:\d\d:\d\d INFO {2}Listens on http:\/\/127\.0\.0\.1:1 {2}ms=2\n$/;
  expect(logged({ isTTY: true }, hello)).toMatch(text);
  expect(logged({ logFormat: 'text' }, hello)).toMatch(text);
  for (const options of [{}, { isTTY: true, logFormat: 'json' } as const])
    expect(JSON.parse(logged(options, hello))).toMatchObject({ level: 30, ms: 2, url: 'http://127.0.0.1:1' });
});

test('a line for people has the stack of an error, and nothing that changes a terminal', () => {
  const text = logged({ isTTY: true }, (log) => {
    log.warn({ path: '/a b\u001b[2J', err: new TypeError('broken') }, 'No\u001b[31m luck\nFATAL forged');
  });
  expect(text.split('\n')[0]).toMatch(
    /WARN {2}No\ufffd\[31m luck\ufffdFATAL forged {2}path="\/a b\\u001b\[2J"$/,
  );
  expect(text).toMatch(/\n {2}TypeError: broken\n {6}at /);
});
