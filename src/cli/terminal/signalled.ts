/** Resolves with the first SIGINT or SIGTERM; a second one ends the process as usual. */
export async function signalled(): Promise<string> {
  return await new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal));
  });
}
