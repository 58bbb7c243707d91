import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/**
 * Lets the driver notice that a socket was closed before it wrote to it. The driver (7.9.0 too) waits for `drain` or
 * `error` when `write` returns false, but a socket that is closed already emits only `close`. Otherwise such a command
 * never ends, and all that wait for it; if it is a heartbeat, the server is never reached again.
 */
subscribe('net.client.socket', (message) => {
  const { socket } = message as { readonly socket: Socket };
  socket.once('close', () => {
    // The driver has heard of the `close` as well, and throws when it goes on.
    if (socket.listenerCount('drain') > 0) socket.emit('drain');
  });
});
