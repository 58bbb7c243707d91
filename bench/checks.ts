import { ownContextUrl } from '../src/domain/integrity/contexts/own.ts';
import { cidOf, cidUrn, codecs } from '../src/domain/integrity/identifiers/cid.ts';
import { cpuSeconds, quantile, type Row, report } from './measure.ts';
import { startService, withFolder } from './service-process.ts';

// Checks over HTTP of a model with 500 artefacts behind it, each with a name and a kind, made in a chain of 100 signed runs, or STEPS.
// Beside them, its lineage. CPU time is that of the service.

const steps = Number(process.env.STEPS ?? 100);
const inputsOfStep = 500 / steps;
const runs = Number(process.env.RUNS ?? 200);
const person = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';
const artefact = (name: string) => cidUrn(cidOf(codecs.raw, name));
const model = artefact(`output ${steps - 1}`);

const common = (type: string) => ({
  '@context': ownContextUrl,
  '@type': type,
  registeredBy: person,
  timestamp: '2026-01-31T12:00:00Z',
});

async function sent(url: string, method: string, path: string, body: object) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Record<string, unknown> & { cid: string };
}

async function fill(url: string): Promise<void> {
  const statements: object[] = [];
  for (let step = 0; step < steps; step += 1) {
    const data = Array.from({ length: inputsOfStep }, (_, at) => `data ${step}.${at}`);
    for (const name of data) {
      const { cid } = await sent(url, 'PUT', '/store/v1/jcs', { name, kind: 'dataset' });
      const said = { subject: artefact(name), metadata: `urn:cid:${cid}` };
      statements.push({ ...common('MetadataRegistration'), ...said });
    }
    const before = step === 0 ? [] : [artefact(`output ${step - 1}`)];
    const ends = { input: [...data.map(artefact), ...before], output: artefact(`output ${step}`) };
    const program = { computation: artefact('train.py'), operatedBy: person };
    statements.push({ ...common('ComputationRegistration'), ...ends, ...program });
  }
  await sent(url, 'PUT', '/statements/v1/batch', { statements, generate_id: true, issue_vc: true });
}

const policies = {
  'every run is signed by the service': {
    signers: { service: ['service'] },
    rules: [{ name: 'signed', require: "computations.all(c, c.signed_by == 'service')" }],
  },
  'every data set has a name': {
    rules: [{ name: 'named', for: "upstream.filter(a, a.kind == 'dataset')", require: "it.name != ''" }],
  },
};

async function timed(what: string, pid: number, call: () => Promise<unknown>): Promise<Row> {
  for (let run = 0; run < runs / 10; run += 1) await call();
  const times: number[] = [];
  const before = cpuSeconds(pid);
  for (let run = 0; run < runs; run += 1) {
    const startedAt = performance.now();
    await call();
    times.push(performance.now() - startedAt);
  }
  const cpu = ((cpuSeconds(pid) - before) / runs) * 1_000;
  return { what, 'p50 ms': quantile(times, 0.5), 'p99 ms': quantile(times, 0.99), 'CPU ms each': cpu };
}

await withFolder(async (folder) => {
  await using service = await startService(folder, {}, 'integrity');
  const { url, pid } = service;
  await fill(url);
  const rows = [
    await timed('lineage', pid, async () => {
      const query = 'direction=upstream&depth=100&limit=1000';
      await (await fetch(`${url}/lineage/v1/${encodeURIComponent(model)}?${query}`)).text();
    }),
  ];
  for (const [what, more] of Object.entries(policies)) {
    const policy = { cairn: 'policy/1', name: what, ...more };
    const { result } = await sent(url, 'POST', '/checks/v1', { subject: model, policy });
    if (result !== 'pass') throw new Error(`${what}: ${result}`);
    rows.push(await timed(what, pid, () => sent(url, 'POST', '/checks/v1', { subject: model, policy })));
  }
  report(`Checks of a model with 500 artefacts behind it, made in a chain of ${steps} runs`, rows);
});
