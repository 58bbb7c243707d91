import type { WitnessClient } from '../../domain/log/witnessing/ask-witness.ts';
import { boundedFetch, type Fetch } from './bounded-fetch.ts';

/** A slow witness costs other witnesses nothing, but a checkpoint that needs it waits. */
export const witnessTimeoutMs = 5_000;
const maxBytes = 256 << 10;

export function witnessClient(
  fetch: Fetch = boundedFetch({ timeoutMs: witnessTimeoutMs, maxBytes }),
): WitnessClient {
  const call = async (url: string, init: RequestInit) => {
    const answer = await fetch(url, init);
    return { status: answer.status, body: await answer.text() };
  };
  return {
    get: (url) => call(url, { method: 'GET' }),
    post: (url, body) => call(url, { method: 'POST', body, headers: { 'content-type': 'text/plain' } }),
  };
}
