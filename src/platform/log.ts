import { pino } from 'pino';

export type Log = Pick<pino.Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'child'>;

/** Logs JSON lines to stderr: results of commands have stdout to themselves. */
export function openLog(level: string): pino.Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: false }),
  );
}
