import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { openSharedRateLimits } from '../../../../src/composition/shared.ts';
import { type ControlPlane, openControlPlane } from '../../../../src/control-plane.ts';
import { type Agent, agents } from '../../../../src/domain/control-plane/agents/agents.ts';
import { type GatewayScope, gatewayScopes } from '../../../../src/domain/control-plane/gateway-access.ts';
import { signGatewayCredential } from '../../../../src/platform/agent-tokens/gateway-credential.ts';
import { readSettings } from '../../../../src/platform/settings/settings.ts';
import { openStore, type Store } from '../../../../src/storage/open.ts';
import { newAgent } from '../../../builders/agents.ts';
import { checkAnswers } from '../../declared-answers.ts';
import { type Answer, answerOf } from '../../service.ts';
import { newServiceStore, type StoreKind } from '../../service-store.ts';
import { gatewaySecret } from '../plane.ts';

export interface TestGateway {
  readonly store: Store;
  readonly app: ControlPlane['app'];
  /** The lines of its log. */
  readonly logged: readonly Record<string, unknown>[];
  /** Sends records with a credential for everything, or with this one. */
  send(scope: GatewayScope, records: unknown, credential?: string): Promise<Answer>;
  /** Registers an agent. */
  agent(members?: Partial<Agent>): Promise<string>;
}

export async function credential(scopes: readonly GatewayScope[] = gatewayScopes, now = new Date()) {
  return await signGatewayCredential(gatewaySecret, {
    name: 'gateway-1',
    scopes,
    lifetimeMs: 3_600_000,
    now,
  });
}

/** A control plane on a store of its own, for all tests of a file. */
export function useGateway(
  environment: Readonly<Record<string, string>> = {},
  kind: StoreKind = 'embedded',
): TestGateway {
  const opened = new AsyncDisposableStack();
  let store: Store;
  let plane: ControlPlane;
  let everything: string;
  const logged: Record<string, unknown>[] = [];
  beforeAll(async () => {
    const kept = opened.use(await newServiceStore(kind));
    const settings = readSettings({
      ...kept.environment,
      CAIRN_GATEWAY_SECRET: gatewaySecret,
      CAIRN_TOKEN_FAILURE_RATE: '1000/1m',
      ...environment,
    });
    const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
    store = opened.use(await openStore(settings, () => undefined));
    const rateLimits = opened.use(await openSharedRateLimits(settings, log));
    plane = opened.use(await openControlPlane({ store, rateLimits }, settings, log));
    checkAnswers(plane.app);
    everything = await credential();
  });
  afterAll(() => opened.disposeAsync());
  return {
    get store() {
      return store;
    },
    get app() {
      return plane.app;
    },
    logged,
    send: async (scope, records, token = everything) =>
      answerOf(
        await plane.app.request(`http://localhost/v1/gateway/${scope}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          body: typeof records === 'string' ? records : JSON.stringify({ records }),
        }),
      ),
    async agent(members) {
      const one = newAgent(members);
      await store.of(agents).insert([one]);
      return one.id;
    },
  };
}
