import { parentPort, workerData } from 'node:worker_threads';
import { openWriter } from '../connections.ts';
import { runTogether, type WaitingWrite } from './transactions.ts';
import {
  sendError,
  type WriteMessage,
  type WriteOutcome,
  type WriteReport,
  type WriteRequest,
} from './write-messages.ts';
import { writeOperations } from './write-operations.ts';

/**
 * The writer thread keeps inserts, syncs and checkpoints away from the event loop that answers requests. The writes of
 * one message share a transaction.
 */
if (!parentPort) throw new Error('This file runs as a worker thread.');
const port = parentPort;
const database = openWriter(workerData.file);
const operations = new Map<string, (args: never) => unknown>(Object.entries(writeOperations(database)));
let outcomes: WriteOutcome[] = [];

function waitingWrite({ id, name, args }: WriteRequest): WaitingWrite {
  return {
    run: () => operations.get(name)?.(args as never),
    done: (result) => outcomes.push({ id, result }),
    failed: (error) => outcomes.push({ id, error: sendError(error) }),
  };
}

function report(message: WriteReport): void {
  port.postMessage(message);
}

port.on('message', (message: WriteMessage) => {
  if ('close' in message) {
    database.close();
    port.close();
    return;
  }
  const waiting = message.requests.map(waitingWrite);
  for (let first = waiting.shift(); first; first = waiting.shift()) {
    runTogether(database, first, () => waiting.shift());
    report({ outcomes });
    outcomes = [];
  }
});
report({ ready: true });
