import { type DestinationStream, pino } from 'pino';

export type Log = Pick<pino.Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'child'>;

/** Logs JSON lines to stderr. Stdout is for the results of commands. */
export function openLog(level: string, stderr: DestinationStream & { readonly fd?: number }): pino.Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: withoutCommand } },
    stderr.fd === undefined ? stderr : pino.destination({ fd: stderr.fd, sync: false }),
  );
}

/** Database clients add the failed command to their errors. A sign-in command contains the password. */
function withoutCommand(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { command: _command, ...rest } = pino.stdSerializers.err(error);
  return rest;
}
