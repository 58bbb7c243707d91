import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AcknowledgedLoad, fsckProblems, tell } from './acknowledged-load.ts';
import { freePort } from './free-port.ts';
import { withServers } from './mongo-service.ts';
import { isReady, type ServiceProcess, startJobs, startService } from './service-process.ts';

// Three integrity processes behind HAProxy and two processes for jobs, under load. Each process is stopped with
// SIGTERM and replaced, ROUNDS times in turn. Then everything that was acknowledged is looked up. Clients repeat only
// what was answered 503 or lost its connection.

const rounds = Number(process.env.ROUNDS ?? 2);
const replicas = 3;
const jobProcesses = 2;
const shutdownDelay = '2s';
const checkMs = 500;

function proxyConfig(port: number, ports: readonly number[]): string {
  const servers = ports.map(
    (own, at) => `  server cairn${at} 127.0.0.1:${own} check inter ${checkMs}ms fall 1 rise 1`,
  );
  return `
defaults
  mode http
  timeout connect 5s
  timeout check 5s
  timeout client 60s
  timeout server 60s
  option redispatch
  retries 3
frontend front
  bind 127.0.0.1:${port}
  default_backend cairn
backend cairn
  option httpchk GET /ready
${servers.join('\n')}
`;
}

/** HAProxy before some ports. */
async function startProxy(
  folder: string,
  ports: readonly number[],
): Promise<{ url: string } & AsyncDisposable> {
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, proxyConfig(port, ports));
  const child = spawn('haproxy', ['-f', file], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error('HAProxy did not start. Install the package haproxy.');
    await delay(20);
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}

const count = await withServers(async (servers) => {
  const { folder, environment } = servers;
  const dataDir = (at: number) => join(folder, `data ${at}`);
  const ports = await Promise.all(Array.from({ length: replicas }, freePort));
  const startReplica = (at: number) =>
    startService(
      dataDir(at),
      { ...environment, CAIRN_PORT: String(ports[at]), CAIRN_SHUTDOWN_DELAY: shutdownDelay },
      'integrity',
    );
  const startJobsOf = (at: number) => startJobs(dataDir(replicas + at), environment);
  const running: ServiceProcess[] = [];
  for (let at = 0; at < replicas; at += 1) running.push(await startReplica(at));
  const jobs = await Promise.all(Array.from({ length: jobProcesses }, (_, at) => startJobsOf(at)));
  await using proxy = await startProxy(folder, ports);
  const load = new AcknowledgedLoad(() => proxy.url);
  const restart = async () => {
    for (let round = 1; round <= rounds; round += 1) {
      for (let at = 0; at < replicas; at += 1) {
        await delay(2_000);
        await running[at]?.[Symbol.asyncDispose]();
        running[at] = await startReplica(at);
        await delay(2 * checkMs);
        console.log(`round ${round}: replica ${at} replaced; ${load}`);
      }
      for (let at = 0; at < jobProcesses; at += 1) {
        await jobs[at]?.[Symbol.asyncDispose]();
        jobs[at] = await startJobsOf(at);
        console.log(`round ${round}: job process ${at} replaced; ${load}`);
      }
    }
    load.stop();
  };
  await Promise.all([load.run(), restart()]);
  const found = await load.problems(servers);
  for (const one of [...running, ...jobs]) await one[Symbol.asyncDispose]();
  found.push(...fsckProblems(servers));
  const retries = [...load.retries].map(([what, times]) => `${times} × ${what}`).join(', ') || 'none';
  return tell(
    found,
    `${rounds * (replicas + jobProcesses)} restarts; ${load}; repeated requests: ${retries}`,
  );
});
process.exitCode = count === 0 ? 0 : 1;
