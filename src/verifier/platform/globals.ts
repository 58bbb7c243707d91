import './older-browsers.ts';

// What the domain uses of the globals of Node.js.

export { Buffer } from './buffer.ts';

const turns: (() => void)[] = [];
const { port1, port2 } = new MessageChannel();
port1.onmessage = () => turns.shift()?.();

/** Browsers delay timers that follow each other, but not messages. */
export function setImmediate(turn: () => void): void {
  turns.push(turn);
  port2.postMessage(null);
}

export const process = {
  env: {},
  /** A worker of the page does nothing else, so its time is its CPU time. */
  threadCpuUsage(before?: { readonly user: number }) {
    return { user: performance.now() * 1_000 - (before?.user ?? 0), system: 0 };
  },
};
