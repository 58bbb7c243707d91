import type { ApiClient } from '../../src/cli/client/api-client.ts';
import type { Activity } from './activity.ts';

const json = { 'content-type': 'application/json' };
const recordsAtOnce = 500;

/** Sends the records as a gateway would. Known records stay unchanged. */
export async function reportActivity(gateway: ApiClient, activity: Activity): Promise<void> {
  for (const [route, records] of Object.entries(activity)) {
    for (let at = 0; at < records.length; at += recordsAtOnce) {
      const body = JSON.stringify({ records: records.slice(at, at + recordsAtOnce) });
      await gateway.send('POST', `/v1/gateway/${route}`, { headers: json, body: () => body });
    }
  }
}
