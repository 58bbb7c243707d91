/** Output into memory is never full, so nobody waits for an event. */
export async function once(): Promise<never> {
  throw new TypeError('This output tells no events.');
}
