import type { Asked } from './service.ts';

export interface ImportAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at freely
  readonly json: any;
}

/** Sends a file to the import of evidence. Anything but text and bytes is sent as JSON. */
export async function postEvidence(
  service: Asked,
  file: unknown,
  query = '',
  type = 'application/octet-stream',
): Promise<ImportAnswer> {
  const body = typeof file === 'string' || file instanceof Uint8Array ? file : JSON.stringify(file);
  const headers = { 'content-type': type, host: 'localhost' };
  const response = await service.app.request(`/evidence/v1${query}`, {
    method: 'POST',
    headers,
    body: body as string,
  });
  return { status: response.status, json: await response.json() };
}
