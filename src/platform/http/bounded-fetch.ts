export interface BoundedFetchOptions {
  /** For the whole exchange, the answer's body included. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/**
 * `fetch` for answers of servers that we depend on and do not rule: it follows no redirect, which could carry a
 * token to another host, and reads at most so much for so long.
 * @returns an answer whose body is in memory.
 * @throws Error when the server cannot be reached, is too slow or says too much.
 */
export function boundedFetch({ timeoutMs, maxBytes }: BoundedFetchOptions): Fetch {
  return async (url, init) => {
    const answer = await fetch(url, {
      ...init,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of answer.body ?? []) {
      size += chunk.length;
      if (size > maxBytes) throw new Error(`The answer has more than ${maxBytes} bytes.`);
      chunks.push(chunk);
    }
    const hasBody = answer.status >= 200 && ![204, 205, 304].includes(answer.status);
    return new Response(hasBody ? Buffer.concat(chunks) : null, {
      status: answer.status,
      headers: answer.headers,
    });
  };
}
