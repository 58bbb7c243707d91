/** A request that brought no answer, in words for the reader. */
export class Failure extends Error {
  /**
   * @param {string} message
   * @param {number} status of the answer; 0 without one
   * @param {unknown} [cause]
   */
  constructor(message, status, cause) {
    super(message, { cause });
    this.status = status;
  }
}

/**
 * @param {string} address
 * @param {RequestInit} [init]
 */
export async function askJson(address, init) {
  return await (await ask(address, init)).json();
}

/**
 * @param {string} address
 * @param {RequestInit} [init]
 */
export async function ask(address, init) {
  const response = await fetch(address, init).catch((cause) => {
    if (init?.signal?.aborted) throw cause;
    throw new Failure('The service does not answer. Is it running, and is the network there?', 0, cause);
  });
  if (response.ok) return response;
  const told = await response.json().catch(() => ({}));
  throw new Failure(told.error ?? `The service answered ${response.status}.`, response.status);
}
