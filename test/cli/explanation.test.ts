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

test.each([
  ['a folder that is read', { code: 'EISDIR', syscall: 'read' }, 'One of the given files is a folder.\n'],
  ['a file where a folder goes', { code: 'EEXIST', syscall: 'mkdir', path: 'w' }, 'w is not a folder.\n'],
])('%s is said in words', (_, details, words) => {
  expect(explanationOf(Object.assign(new Error(details.code), details))).toBe(words);
});
