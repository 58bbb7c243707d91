import { mintedToken } from '../../../contract/control-plane/registrations.ts';
import { answerJson } from '../../client/api-client.ts';
import type { Io } from '../../terminal/io.ts';
import { say } from '../../terminal/say.ts';
import { writeText } from '../../terminal/write-out.ts';
import { jsonBody, openControlPlane } from './control-plane.ts';

export interface TokenFlags {
  readonly handle?: string;
  readonly json?: true;
}

/** Mints a registration token. Standard output has the token alone, so that a shell can put it into a variable. */
export async function mintToken(io: Io, name: string, { handle, json }: TokenFlags): Promise<void> {
  const body = { agent_name: name, ...(handle !== undefined && { agent_handle: handle }) };
  const response = await openControlPlane(io).send('POST', '/v1/agent-registration-tokens', jsonBody(body));
  const answer = await answerJson(response, mintedToken);
  await writeText(io, json ? `${JSON.stringify(answer, null, 2)}\n` : `${answer.registration_token}\n`);
  if (json) return;
  const { agent_id, expires_at, command_template } = answer;
  say(
    io,
    `The token registers ${agent_id} once, until ${expires_at}. Put it into AGENT_PROVISIONING_TOKEN and run:\n${command_template}`,
  );
}
