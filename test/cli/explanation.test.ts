import { expect, test } from 'vitest';
import { explanationOf } from '../../src/cli/terminal/explanation.ts';

test('a folder that cannot be made is not called missing', () => {
  // What Node says on a read-only file system.
  const error = Object.assign(new Error('ENOENT: no such file or directory, mkdir'), {
    code: 'ENOENT',
    syscall: 'mkdir',
    path: '/home/ada/.config',
  });
  expect(explanationOf(error)).toBe(
    '/home/ada/.config cannot be made. Perhaps the file system is read-only.\n',
  );
});
