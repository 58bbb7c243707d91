import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('commands print through src/cli/terminal only, which escapes what they did not write themselves', () => {
  const files = globSync('src/cli/**/*.ts', { exclude: ['src/cli/terminal/**'] });
  const writing = files.filter((file) =>
    /\b(?:stdout|stderr)\.write\(|console\./.test(readFileSync(file, 'utf8')),
  );
  expect([files.length > 50, writing]).toEqual([true, []]);
});
