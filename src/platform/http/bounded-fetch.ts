export interface BoundedFetchOptions {
  /** For the whole exchange, including the response body. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` with a size limit and a timeout, for servers of others. It follows no redirect, because a redirect could
 * carry a token to another host. A signal of the caller ends it earlier. @returns a response whose body is in memory.
 * @throws Error when the server cannot be reached, is too slow or sends too much.
 */
export function boundedFetch({ timeoutMs, maxBytes }: BoundedFetchOptions): Fetch {
  return async (url, init) => {
    const answer = await fetch(url, {
      ...init,
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(init?.signal ? [init.signal] : [])]),
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of answer.body ?? []) {
      size += chunk.length;
      if (size > maxBytes) throw new Error(`The response has more than ${maxBytes} bytes.`);
      chunks.push(chunk);
    }
    const hasBody = answer.status >= 200 && ![204, 205, 304].includes(answer.status);
    return new Response(hasBody ? Buffer.concat(chunks) : null, {
      status: answer.status,
      headers: answer.headers,
    });
  };
}
