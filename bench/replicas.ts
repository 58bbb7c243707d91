import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { originOf } from '../src/domain/log/names.ts';
import { formatVkey } from '../src/domain/log/notes/vkey.ts';
import { writeNewKey } from '../src/platform/key-file-signer.ts';
import { openLogKeys } from '../src/platform/log-keys.ts';
import { AcknowledgedLoad, fsckProblems, tell } from './acknowledged-load.ts';
import { LogChecker } from './log-checker.ts';
import { withServers } from './mongo-service.ts';
import { type ServiceProcess, startService } from './service-process.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { WitnessBeside } from './witness-beside.ts';

// Three processes on one MongoDB and one Redis, under load. One of them at a time is killed and started again. Now and then all
// lose the connections to one of the servers. With PAUSE_MS, a process is stopped now and then, and goes on. Then everything that was
// acknowledged is looked up, in the store and in the log of its graph, and all checkpoints must be of one history, also those that
// only the witness beside has seen. ROUNDS=200 is the full run.

const rounds = Number(process.env.ROUNDS ?? 20);
const replicas = 3;
const cutEvery = 5;
const pauseEvery = 10;
const pauseMs = Number(process.env.PAUSE_MS ?? 0);

type Replicas = (ServiceProcess | undefined)[];

/** Any running process. */
function anyOf(running: Replicas): ServiceProcess | undefined {
  const living = running.filter((service) => service !== undefined);
  return living[Math.floor(Math.random() * living.length)];
}

/** Simulates a short outage of a server. */
async function cut(proxies: readonly TcpProxy[]): Promise<void> {
  const proxy = proxies[Math.floor(Math.random() * proxies.length)];
  await proxy?.cut();
  await delay(Math.random() * 1_500);
  await proxy?.restore();
}

/** Stops a process while the others go on. */
async function pause(service: ServiceProcess | undefined): Promise<void> {
  if (!service) return;
  process.kill(service.pid, 'SIGSTOP');
  await delay(pauseMs);
  process.kill(service.pid, 'SIGCONT');
}

async function killInTurn(
  running: Replicas,
  proxies: readonly TcpProxy[],
  load: AcknowledgedLoad,
  witness: WitnessBeside,
  start: (at: number) => Promise<ServiceProcess>,
): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    await delay(300 + Math.random() * 1_000);
    if (round % cutEvery === 0) await cut(proxies);
    const at = Math.floor(Math.random() * replicas);
    if (pauseMs > 0 && round % pauseEvery === 0) await pause(running[(at + 1) % replicas]);
    const victim = running[at];
    running[at] = undefined;
    await victim?.kill();
    running[at] = await start(at);
    console.log(`round ${round}: ${load}, ${witness}`);
  }
  load.stop();
}

const count = await withServers(async (servers) => {
  const { CAIRN_MONGODB_URL: mongodbUrl = '', CAIRN_REDIS_URL: redisUrl = '' } = servers.environment;
  await using mongodb = await TcpProxy.before(mongodbUrl);
  await using redis = await TcpProxy.before(redisUrl);
  const environment = {
    ...servers.environment,
    CAIRN_MONGODB_URL: mongodb.url(mongodbUrl),
    CAIRN_REDIS_URL: redis.url(redisUrl),
    CAIRN_PUBLIC_URL: 'http://log.example',
    CAIRN_LOG_KEY_FILE: join(servers.folder, 'log-key.json'),
    CAIRN_LOG_WITNESSES: '',
    CAIRN_PUBLIC_LOG: 'true',
  };
  await writeNewKey(environment.CAIRN_LOG_KEY_FILE);
  const keys = await openLogKeys({ file: environment.CAIRN_LOG_KEY_FILE, mayCreate: false }, null);
  const vkey = formatVkey(keys.signersOf(originOf(environment.CAIRN_PUBLIC_URL))[0].vkey);
  await using witness = await WitnessBeside.start(join(servers.folder, 'witness'), vkey);
  environment.CAIRN_LOG_WITNESSES = witness.policyFile;
  const start = (at: number) => startService(join(servers.folder, `data ${at}`), environment);
  const running: Replicas = [];
  for (let at = 0; at < replicas; at += 1) running.push(await start(at));
  const load = new AcknowledgedLoad(() => anyOf(running)?.url);
  const checker = new LogChecker(() => anyOf(running)?.url);
  const checking = checker.run();
  await Promise.all([load.run(), killInTurn(running, [mongodb, redis], load, witness, start)]);
  const found = await load.problems(servers);
  found.push(...(await checker.missing(load.graphId, load.statements)));
  checker.stop();
  await checking;
  found.push(...(await checker.problems(witness.checkpoints)), ...witness.problems(pauseMs > 0));
  for (const service of running) await service?.[Symbol.asyncDispose]();
  found.push(...fsckProblems(servers));
  return tell(found, `${rounds} kills; ${load}; ${checker.count} checkpoints read, ${witness}`);
});
process.exitCode = count === 0 ? 0 : 1;
