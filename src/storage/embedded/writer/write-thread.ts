import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { openWriter } from '../connections.ts';
import { runTogether, type WaitingWrite } from './transactions.ts';
import { sendError, type WriteOutcome, type WriteReport, type WriteRequest } from './write-messages.ts';
import { writeOperations } from './write-operations.ts';

/**
 * The writer thread keeps inserts, syncs and checkpoints away from the event loop that answers requests. Writes that
 * arrive during a transaction share the next one.
 */
if (!parentPort) throw new Error('This file runs as a worker thread.');
const port = parentPort;
const database = openWriter(workerData.file);
const operations = new Map<string, (args: never) => unknown>(Object.entries(writeOperations(database)));
const waiting: WaitingWrite[] = [];
let outcomes: WriteOutcome[] = [];
let isClosing = false;

function receive(request: WriteRequest): void {
  if ('close' in request) {
    isClosing = true;
  } else {
    const { id, name, args } = request;
    waiting.push({
      run: () => operations.get(name)?.(args as never),
      done: (result) => outcomes.push({ id, result }),
      failed: (error) => outcomes.push({ id, error: sendError(error) }),
    });
  }
}

function nextWrite(): WaitingWrite | undefined {
  for (let sent = receiveMessageOnPort(port); sent; sent = receiveMessageOnPort(port)) receive(sent.message);
  return waiting.shift();
}

function report(message: WriteReport): void {
  port.postMessage(message);
}

port.on('message', (request: WriteRequest) => {
  receive(request);
  for (let first = nextWrite(); first; first = nextWrite()) {
    runTogether(database, first, nextWrite);
    report({ outcomes });
    outcomes = [];
  }
  if (!isClosing) return;
  database.close();
  port.close();
});
report({ ready: true });
