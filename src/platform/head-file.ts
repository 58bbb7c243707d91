import { readFile } from 'node:fs/promises';
import { messageOf, ServiceError } from '../domain/errors.ts';
import { formatCheckpoint, parseCheckpoint } from '../domain/log/notes/checkpoint.ts';
import type { HeadMemory } from '../domain/log/witnessing/head-memory.ts';
import { replaceFile } from './replace-file.ts';

/** Keeps the last signed head in a file, as the text of a checkpoint. */
export function headFile(file: string): HeadMemory {
  return {
    says: `The head file ${file} names`,

    async last(origin) {
      const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
        if (cause.code === 'ENOENT') return undefined;
        return fail(`cannot be read (${cause.code})`, cause);
      });
      if (text === undefined) return undefined;
      const head = parsed(text);
      if (head.origin !== origin)
        fail(
          `belongs to the log ${head.origin}, and this service signs for ${origin}. Name another file for it`,
        );
      return head;
    },

    async remember(head) {
      try {
        await replaceFile(file, formatCheckpoint({ ...head, extensions: [] }));
      } catch (cause) {
        fail(`cannot be written: ${messageOf(cause)}`, cause);
      }
    },
  };

  function parsed(text: string) {
    try {
      return parseCheckpoint(text);
    } catch (cause) {
      return fail(
        `is damaged: ${messageOf(cause)} Restore it, or compare the log with a witness and remove it`,
        cause,
      );
    }
  }

  function fail(problem: string, cause?: unknown): never {
    throw new ServiceError('unavailable', `CAIRN_LOG_HEAD_FILE: ${file} ${problem.replace(/\.$/, '')}.`, {
      cause,
    });
  }
}
