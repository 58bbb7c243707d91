import { type ApiClient, openClient } from '../../client/api-client.ts';
import { readClientSettings } from '../../client/client-settings.ts';
import type { Io } from '../../terminal/io.ts';

/** A client of the control plane. */
export function openControlPlane(io: Io): ApiClient {
  const { url, idBearer } = readClientSettings(io);
  return openClient({ url, bearer: idBearer });
}

export function agentPath(id: string): string {
  return `/v1/agents/${encodeURIComponent(id)}`;
}

export function jsonBody(body: object) {
  return { headers: { 'content-type': 'application/json' }, body: () => JSON.stringify(body) };
}
