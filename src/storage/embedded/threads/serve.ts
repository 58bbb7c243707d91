import { parentPort } from 'node:worker_threads';
import { type Call, type Outcome, sendError, type ThreadMessage, type ThreadReport } from './messages.ts';

/** A call that waits. Either `done` or `failed` is called at its end. */
export interface WaitingCall {
  run(): unknown;
  done(result: unknown): void;
  failed(error: unknown): void;
}

export interface Serving {
  /** By name. Arguments and results can be sent between threads. */
  readonly operations: object;
  /** Runs a call, and perhaps more with it. @param next returns the next call of the message. */
  readonly perform: (first: WaitingCall, next: () => WaitingCall | undefined) => void | Promise<void>;
  /** Called at the end. */
  readonly close?: () => void;
}

/** Answers the calls of an `OperationThread`. */
export function serve({ operations, perform, close }: Serving): void {
  if (!parentPort) throw new Error('This file runs as a worker thread.');
  const port = parentPort;
  const byName = new Map<string, (args: never) => unknown>(Object.entries(operations));
  let outcomes: Outcome[] = [];
  const report = (message: ThreadReport) => port.postMessage(message);
  const waitingCall = ({ id, name, args }: Call): WaitingCall => ({
    run: () => byName.get(name)?.(args as never),
    done: (result) => outcomes.push({ id, result }),
    failed: (error) => outcomes.push({ id, error: sendError(error) }),
  });

  port.on('message', async (message: ThreadMessage) => {
    if ('close' in message) {
      close?.();
      port.close();
      return;
    }
    const waiting = message.calls.map(waitingCall);
    for (let first = waiting.shift(); first; first = waiting.shift()) {
      await perform(first, () => waiting.shift());
      report({ outcomes });
      outcomes = [];
    }
  });
  report({ ready: true });
}
