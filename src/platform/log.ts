import { type DestinationStream, pino } from 'pino';

export type Log = Pick<pino.Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'child'>;

/** Logs JSON lines to stderr: results of commands have stdout to themselves. */
export function openLog(level: string, stderr: DestinationStream & { readonly fd?: number }): pino.Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: withoutCommand } },
    stderr.fd === undefined ? stderr : pino.destination({ fd: stderr.fd, sync: false }),
  );
}

/** Clients of databases add the command that has failed to their errors; that of a sign-in has the password. */
function withoutCommand(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { command: _command, ...rest } = pino.stdSerializers.err(error);
  return rest;
}
