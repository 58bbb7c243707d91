import { deviceConfig } from '../../../contract/control-plane/authentication.ts';
import { isSafeUrl } from '../../../platform/http/loopback.ts';
import { ApiRefusal, answerJson, openClient } from '../../client/api-client.ts';
import { failNo } from '../../terminal/failure.ts';

/** The login configuration for tools: the issuer that the service trusts, the client and the scopes. */
export interface DeviceConfig {
  readonly issuer: URL;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** Asks a control plane. @throws Failure if it offers no login for tools, or its issuer has no https. */
export async function readDeviceConfig(url: string): Promise<DeviceConfig> {
  const response = await openClient({ url, bearer: () => null })
    .send('GET', '/v1/auth/device-config')
    .catch((error: unknown) => {
      if (error instanceof ApiRefusal && error.status === 404 && error.code) noLogin(url, error.message);
      throw error;
    });
  const { issuer, client_id, scopes } = await answerJson(response, deviceConfig);
  const address = new URL(issuer);
  if (!isSafeUrl(address))
    failNo(`The service at ${url} names the issuer ${issuer}, which has no https. Nothing was sent to it.`);
  return { issuer: address, clientId: client_id, scopes };
}

function noLogin(url: string, sentence: string): never {
  failNo(
    `The service at ${url} offers no login for tools: ${sentence} If authentication is enabled, set CAIRN_TOKEN or name the control plane with --issuer-from.`,
  );
}
