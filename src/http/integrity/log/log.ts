import { graphLogParams, graphLogTileParams, logTileParams } from '../../../contract/integrity/log.ts';
import { logName } from '../../../contract/integrity/log-name.ts';
import { type AccessRule, known, type Principal } from '../../../domain/access/access.ts';
import { toBase64 } from '../../../domain/base64.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { graphForViewing } from '../../../domain/integrity/access/statement-scope.ts';
import type { GraphStore } from '../../../domain/integrity/ports.ts';
import { parseTilePath } from '../../../domain/log/merkle/tiles.ts';
import { blindedName, logNames } from '../../../domain/log/names.ts';
import { keysOf, type PublishedLogs, publishedNote, publishedTile } from '../../../domain/log/published.ts';
import type { App } from '../../../platform/http/app.ts';
import { type Answered, readyAnswer } from '../../answering.ts';
import { errorAnswer, jsonAnswer } from '../../answers.ts';
import { operation } from '../operation.ts';

const tag = 'Log';
const text = 'text/plain; charset=utf-8';
const bytes = 'application/octet-stream';

export interface LogRoutes {
  readonly publishedLogs: PublishedLogs;
  readonly graphs: Pick<GraphStore, 'get'>;
  /** Whether anybody may read the service log, without a token. */
  readonly publicLog: boolean;
}

/** The logs, in the form of c2sp.org/tlog-tiles. */
export function logRoutes(app: App, { publishedLogs, graphs, publicLog }: LogRoutes): void {
  const access: AccessRule | 'public' = publicLog ? 'public' : known;
  const forService = shared(publicLog);
  const viewed = async (principal: Principal, uuid: string) => {
    await graphForViewing(graphs, principal, uuid);
    return logNames.graph(uuid);
  };

  operation(app, 'GET /log/v1/checkpoint', {
    access,
    tag,
    summary: 'Read the newest checkpoint of the service log',
    description:
      'A signed note (c2sp.org/tlog-checkpoint). Each entry of this log commits to the head of another log.',
    answers: noteAnswers,
    handle: async () => noteAnswer(await publishedNote(publishedLogs, logNames.service)),
  });

  operation(app, 'GET /log/v1/key', {
    access,
    tag,
    summary: 'Read the keys that checkpoints of the service log are verified with',
    description:
      'Verifier keys (c2sp.org/signed-note), one in a line. Compare them with what the operator has told you.',
    answers: noteAnswers,
    handle: () => noteAnswer(keysOf(publishedLogs, logNames.service)),
  });

  operation(app, 'GET /log/v1/tile/{+tile}', {
    access,
    tag,
    summary: 'Read a tile of the service log, or a bundle of its entries',
    params: logTileParams,
    answers: tileAnswers,
    handle: ({ params }) => tileAnswer(publishedLogs, logNames.service, params.tile, forService),
  });

  operation(app, 'GET /log/v1/graphs/{uuid}/checkpoint', {
    access: known,
    tag,
    summary: 'Read the newest published checkpoint of the log of a graph',
    params: graphLogParams,
    answers: noteAnswers,
    handle: async ({ principal, params: { uuid } }) =>
      noteAnswer(await publishedNote(publishedLogs, await viewed(principal, uuid))),
  });

  operation(app, 'GET /log/v1/graphs/{uuid}/name', {
    access: known,
    tag,
    summary: 'Read how the service log names the log of a graph',
    description: 'Monitors find its heads in the service log by this. Others cannot guess it.',
    params: graphLogParams,
    answers: {
      200: jsonAnswer('The name and the secret that blinds it', logName),
      404: errorAnswer('The log is empty, or the caller may not see it'),
    },
    handle: async ({ principal, params: { uuid }, answer }) =>
      answer(200, await nameOf(publishedLogs, await viewed(principal, uuid))),
  });

  operation(app, 'GET /log/v1/graphs/{uuid}/key', {
    access: known,
    tag,
    summary: 'Read the keys that checkpoints of the log of a graph are verified with',
    params: graphLogParams,
    answers: noteAnswers,
    handle: async ({ principal, params: { uuid } }) =>
      noteAnswer(keysOf(publishedLogs, await viewed(principal, uuid))),
  });

  operation(app, 'GET /log/v1/graphs/{uuid}/tile/{+tile}', {
    access: known,
    tag,
    summary: 'Read a tile of the log of a graph, or a bundle of its entries',
    params: graphLogTileParams,
    answers: tileAnswers,
    handle: async ({ principal, params: { uuid, tile } }) =>
      tileAnswer(publishedLogs, await viewed(principal, uuid), tile, shared(false)),
  });
}

async function nameOf({ reading }: PublishedLogs, name: string) {
  const nonce = await reading.nonceOf(name);
  if (!nonce) throw new ServiceError('not_found', 'This log has no entries yet.');
  return { name, nonce: toBase64(nonce), blinded_name: toBase64(blindedName(name, nonce)) };
}

const noteAnswers = {
  200: { description: 'The text', content: { 'text/plain': { schema: { type: 'string' } } } },
  404: errorAnswer('Nothing is published yet, or the caller may not see the log'),
} as const;

const tileAnswers = {
  200: {
    description: 'Hashes of 32 bytes; of entries each after its length in two bytes',
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  },
  404: errorAnswer('It is beyond the published tree, or the caller may not see the log'),
} as const;

/** A checkpoint changes, so caches ask each time. */
function noteAnswer(note: string): Answered {
  return readyAnswer(new Response(note, { headers: { 'content-type': text, 'cache-control': 'no-cache' } }));
}

/** Tiles never change. */
function shared(isPublic: boolean): string {
  return `${isPublic ? 'public' : 'private'}, max-age=31536000, immutable`;
}

async function tileAnswer(
  ports: PublishedLogs,
  log: string,
  path: string,
  caching: string,
): Promise<Answered> {
  const tile = await publishedTile(ports, log, tileAt(path));
  return readyAnswer(
    new Response(new Uint8Array(tile), { headers: { 'content-type': bytes, 'cache-control': caching } }),
  );
}

/** @throws ServiceError `not_found`, because a path that is no tile's is nothing. */
function tileAt(path: string) {
  try {
    return parseTilePath(path);
  } catch (cause) {
    throw new ServiceError('not_found', `There is no tile ${JSON.stringify(path)}.`, { cause });
  }
}
