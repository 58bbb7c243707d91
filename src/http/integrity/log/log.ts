import { graphLogParams, graphLogTileParams, logTileParams } from '../../../contract/integrity/log.ts';
import { logName } from '../../../contract/integrity/log-name.ts';
import { type AccessRule, known, type Principal } from '../../../domain/access/access.ts';
import { graphForViewing } from '../../../domain/integrity/access/statement-scope.ts';
import type { GraphStore } from '../../../domain/integrity/ports.ts';
import { logNames } from '../../../domain/log/names.ts';
import { keysOf, type PublishedLogs, publishedNote } from '../../../domain/log/published.ts';
import type { App } from '../../../platform/http/app.ts';
import { errorAnswer, jsonAnswer } from '../../answers.ts';
import { nameOfLog, noteAnswer, noteAnswers, tileAnswer, tileAnswers } from '../../log-answers.ts';
import { operation } from '../operation.ts';

const tag = 'Log';

export interface LogRoutes {
  readonly publishedLogs: PublishedLogs;
  readonly graphs: Pick<GraphStore, 'get'>;
  /** Whether anybody may read the service log, without a token. */
  readonly publicLog: boolean;
}

/** The logs, in the form of c2sp.org/tlog-tiles. */
export function logRoutes(app: App, { publishedLogs, graphs, publicLog }: LogRoutes): void {
  const access: AccessRule | 'public' = publicLog ? 'public' : known;
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
    handle: ({ params }) => tileAnswer(publishedLogs, logNames.service, params.tile, { isPublic: publicLog }),
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
      answer(200, await nameOfLog(publishedLogs, await viewed(principal, uuid))),
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
      tileAnswer(publishedLogs, await viewed(principal, uuid), tile, { isPublic: false }),
  });
}
