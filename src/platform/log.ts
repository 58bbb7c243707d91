import { type DestinationStream, pino } from 'pino';
import { lineForPeople } from './log-lines.ts';

export type Log = Pick<pino.Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'child'>;

interface LogSettings {
  readonly logLevel: string;
  /** null: text on a terminal, JSON elsewhere. */
  readonly logFormat: 'json' | 'text' | null;
}

type LogStream = DestinationStream & { readonly fd?: number; readonly isTTY?: boolean };

/** Logs lines to stderr. Stdout is for the results of commands. */
export function openLog({ logLevel: level, logFormat }: LogSettings, stderr: LogStream): pino.Logger {
  const isText = logFormat === null ? stderr.isTTY === true : logFormat === 'text';
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: withoutCommand } },
    isText ? { write: (line: string) => void stderr.write(lineForPeople(line)) } : jsonStream(stderr),
  );
}

function jsonStream(stderr: LogStream): DestinationStream {
  return stderr.fd === undefined ? stderr : pino.destination({ fd: stderr.fd, sync: false });
}

/** Database clients add the failed command to their errors. A sign-in command contains the password. */
function withoutCommand(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { command: _command, ...rest } = pino.stdSerializers.err(error);
  return rest;
}
