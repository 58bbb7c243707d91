import { openClient } from '../../src/cli/client/api-client.ts';
import { gatewayScopes } from '../../src/domain/control-plane/gateway-access.ts';
import { signGatewayCredential } from '../../src/platform/agent-tokens/gateway-credential.ts';
import { activityOf } from './activity.ts';
import { addresses } from './addresses.ts';
import { changeAgents, type DemoAgent } from './agents.ts';
import type { Callers } from './callers.ts';
import { govern } from './governance.ts';
import { houses, project } from './graphs.ts';
import { recordHouses } from './houses.ts';
import { reportActivity } from './report-activity.ts';
import { readDocuments, readSources } from './sources.ts';
import { DemoStatements } from './statements.ts';
import { registerGraph, type StoredDemo, storeDemo } from './store-demo.ts';

const credentialMs = 600_000;

interface Filling {
  readonly agents: readonly DemoAgent[];
  readonly gatewaySecret: string;
}

/** Stores everything that the demo shows, over HTTP. A repeat changes nothing. @returns what to look at. */
export async function fill(
  url: string,
  callers: Callers,
  { agents, gatewaySecret }: Filling,
): Promise<string> {
  const sources = readSources();
  const made = new DemoStatements().make(sources, readDocuments());
  const [administrator, developer] = [await callers.client('ada'), await callers.client('ben')];
  await registerGraph(administrator, project);
  const stored = await storeDemo(developer, made, tell);
  const subject = await govern(developer);
  const houseToken = await callers.token('cleo');
  if (await registerGraph(administrator, houses)) {
    tell('Training models of house prices, with "cairn record" before each step.');
    await recordHouses({ url, token: houseToken });
  }
  tell('Reporting what the agents of the demo did in the last week.');
  const bearer = await signGatewayCredential(gatewaySecret, {
    name: 'demo',
    scopes: gatewayScopes,
    lifetimeMs: credentialMs,
    now: new Date(),
  });
  const outputs = sources.map(({ output }) => output);
  const active = agents.filter(({ isRevoked }) => !isRevoked);
  const gateway = openClient({ url, bearer: () => bearer });
  await reportActivity(gateway, activityOf(active, outputs, Date.now()));
  await changeAgents(callers.administer, agents);
  return `${summary(stored)}\n\n${addresses(url, { demo: made, stored, sources, subject, agents, needsToken: houseToken !== null })}`;
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

function summary({ statements, stored }: StoredDemo): string {
  const news =
    stored === 0 ? 'nothing new: all of them were there' : `${stored} in requests that brought something new`;
  return `${statements} statements, ${news}.`;
}
