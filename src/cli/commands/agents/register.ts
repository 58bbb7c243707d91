import { readFileSync } from 'node:fs';
import { SignJWT } from 'jose';
import { agent } from '../../../contract/control-plane/agents.ts';
import type { registration } from '../../../contract/control-plane/registrations.ts';
import { keyProofType } from '../../../platform/agent-tokens/key-proof.ts';
import { isSafeUrl } from '../../../platform/http/addresses.ts';
import { answerJson, jsonBody, openClient } from '../../client/api-client.ts';
import { readClientSettings } from '../../client/client-settings.ts';
import { decodeToken } from '../../client/token-file.ts';
import { failUsage } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { say, writeText } from '../../terminal/output.ts';
import { AgentFile, type AgentKey } from './agent-file.ts';

export interface RegisterFlags {
  readonly tokenFile?: string;
  readonly rotate?: true;
  readonly p256?: true;
  readonly json?: true;
}

/** What the runtime of an agent does: makes a key, registers with it, and keeps it. */
export async function registerAgent(io: Io, path: string, flags: RegisterFlags): Promise<void> {
  const { rotate = false, p256, json } = flags;
  const { url } = readClientSettings(io);
  const file = new AgentFile(path);
  if (file.exists && !rotate)
    failUsage(
      `${path} exists. It may hold the key of an agent that is in use. Choose another name, or replace the key with --rotate.`,
    );
  const token = provisioningToken(io, flags);
  if (!isSafeUrl(new URL(url)))
    say(io, `${url} has no https, so others on the network can read the token when it is sent.`);
  const key = file.newKey(p256 ? 'P-256' : 'Ed25519');
  const client = openClient({ url, bearer: () => token }, '');
  const request = jsonBody<typeof registration>({ did: key.did, proof: await proofOf(token, key) });
  const response = await client.send('POST', '/v1/gateway/registrations', request);
  const { agent_id, did } = await answerJson(response, agent);
  file.keep({ url, agent_id }, { replaces: rotate });
  await writeText(io, json ? `${JSON.stringify({ agent_id, did, file: path })}\n` : `${agent_id}\n${did}\n`);
}

/** @throws Failure if there is no token. */
function provisioningToken({ env }: Io, { tokenFile }: RegisterFlags): string {
  const text = tokenFile === undefined ? env.AGENT_PROVISIONING_TOKEN : readFileSync(tokenFile, 'utf8');
  const token = text?.trim() ?? '';
  if (token === '')
    failUsage(
      'There is no registration token. Set AGENT_PROVISIONING_TOKEN or name a file with --token-file. "cairn agents token" mints one.',
    );
  return token;
}

/** Proves to the service that this program holds the key, for this token only. */
async function proofOf(token: string, { did, key, algorithm }: AgentKey): Promise<string> {
  const { jti, aud } = decodeToken(token).claims ?? {};
  if (typeof jti !== 'string' || typeof aud !== 'string')
    failUsage('The token is not a registration token. "cairn agents token" mints one.');
  return await new SignJWT()
    .setProtectedHeader({ alg: algorithm, typ: keyProofType })
    .setJti(jti)
    .setIssuer(did)
    .setAudience(aud)
    .setIssuedAt()
    .sign(key);
}
