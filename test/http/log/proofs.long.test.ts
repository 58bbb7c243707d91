import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { unmetRequirement } from '../../../src/cli/commands/verify/requirements.ts';
import { parseCid } from '../../../src/domain/integrity/identifiers/cid.ts';
import type { ManifestForm } from '../../../src/domain/integrity/manifest/carrier.ts';
import { judge } from '../../../src/domain/integrity/policies/verification.ts';
import { CheckpointChecks } from '../../../src/domain/log/checkpoint-checks.ts';
import { noWitnesses } from '../../../src/domain/log/notes/policy.ts';
import { parseVkey } from '../../../src/domain/log/notes/vkey.ts';
import { subjectOf, verifyReceipt } from '../../../src/domain/log/receipt.ts';
import { usePool } from '../../builders/statement-pool.ts';
import { blobUrn, didStatement, ownStatement } from '../../builders/statements.ts';
import { verifiedManifest } from '../../builders/verified-manifest.ts';
import {
  carType,
  everything,
  exportBytes,
  importBytes,
  newGraph,
  putStatements,
} from '../manifest-samples.ts';
import { send, useService } from '../service.ts';

const service = useService();
const pool = usePool();

async function ask(path: string, init?: RequestInit) {
  const response = await service.app.request(path, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const waiting = { headers: { prefer: 'wait=20' } };

async function trust() {
  const keys = (await ask('/log/v1/key')).text.trim().split('\n').map(parseVkey);
  return { logs: keys, policy: noWitnesses };
}

async function graphWith(count: number) {
  const graph = await newGraph(service);
  const ids = await putStatements(
    service,
    graph,
    Array.from({ length: count }, () => didStatement(randomUUID())),
  );
  return { graph, ids };
}

describe('the receipt of a statement', () => {
  it('proves that the service log commits to it, when the caller waits', async () => {
    const { graph, ids } = await graphWith(3);
    for (const [at, id] of ids.entries()) {
      const answer = await ask(`/log/v1/proof/${id}?graph_id=${graph}`, waiting);
      expect(answer.status, answer.text).toBe(200);
      expect(answer.headers.get('preference-applied')).toBe('wait=20');
      const receipt = verifyReceipt(answer.text, null, new CheckpointChecks(await trust()));
      expect(receipt).toMatchObject({ log: `graphs/${graph}`, index: at, size: 3 });
      expect(subjectOf(receipt.statement)).toBe(id);
    }
  });

  it('is not there yet for a statement that no checkpoint has, and the answer says so', async () => {
    const { ids } = await graphWith(1);
    const answer = await ask(`/log/v1/proof/${ids[0]}`);
    // The job may have been quicker.
    if (answer.status === 200) return;
    expect(answer.status).toBe(409);
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'not_logged' });
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  it('is of the log of statements without a graph, if there is none', async () => {
    const [id] = await putStatements(service, undefined, [didStatement(randomUUID())]);
    const { text } = await ask(`/log/v1/proof/${id}`, waiting);
    expect(verifyReceipt(text, null, new CheckpointChecks(await trust())).log).toBe('statements');
  });

  it('is refused for unknown statements and graphs, and for a graph that lacks the statement', async () => {
    const { ids } = await graphWith(1);
    const unknown = 'urn:cid:bagb6qaq6eck62dk7wabsscacsqyri7io4z7bku6r6kagharr62qbbdhnpwwwc';
    for (const path of [
      unknown,
      `${ids[0]}?graph_id=${randomUUID()}`,
      `${ids[0]}?graph_id=${await newGraph(service)}`,
    ])
      expect((await ask(`/log/v1/proof/${path}`)).status, path).toBe(404);
    expect((await ask('/log/v1/proof/nonsense')).status).toBe(400);
  });

  it('is of the form that is in the graph, if the statement has another form elsewhere', async () => {
    const [other, graph] = [await newGraph(service), await newGraph(service)];
    const statement = ownStatement('DataRegistration', { data: [blobUrn('of two forms')] });
    const forms = [statement, { ...statement, data: blobUrn('of two forms') }];
    const [, id] = [
      ...(await putStatements(service, other, forms.slice(0, 1))),
      ...(await putStatements(service, graph, forms.slice(1))),
    ];
    const { status, text } = await ask(`/log/v1/proof/${id}?graph_id=${graph}`, waiting);
    expect(status, text).toBe(200);
    expect(verifyReceipt(text, null, new CheckpointChecks(await trust())).log).toBe(`graphs/${graph}`);
  });

  it('comes with many others from one checkpoint', async () => {
    const { graph, ids } = await graphWith(20);
    const body = { statements: ids, graph_id: graph };
    const { status, json } = await send(service, 'POST', '/log/v1/proofs', body, waiting.headers);
    expect(status).toBe(200);
    const checks = new CheckpointChecks(await trust());
    const found = json.receipts.map(({ receipt }: { receipt: string }) =>
      verifyReceipt(receipt, null, checks),
    );
    expect(
      found.map(({ statement }: { statement: Parameters<typeof subjectOf>[0] }) => subjectOf(statement)),
    ).toEqual(ids);
    expect(
      new Set(found.map(({ checkpoint }: { checkpoint: { note: string } }) => checkpoint.note)).size,
    ).toBe(1);
  });
});

describe('an export with proofs', () => {
  const exported = async (graph: string, type?: string) =>
    await exportBytes(service, `graph_ids=${graph}&${everything}&include_proofs=true`, type);

  it.each<[ManifestForm, string | undefined]>([
    ['json', undefined],
    ['car', carType],
  ])('has exactly the statements of its log, as %s', async (form, type) => {
    const { graph, ids } = await graphWith(7);
    const bytes = await exported(graph, type);
    const { findings, summary } = await verifiedManifest(pool, bytes, form, await trust());
    expect(findings.filter(({ kind }) => kind === 'fault')).toEqual([]);
    expect(unmetRequirement(summary, await judge(summary), { requireComplete: true })).toBeUndefined();
    expect(summary.logs).toMatchObject([{ log: `graphs/${graph}`, statements: ids.length, size: 7 }]);
    expect(summary.unlogged).toBe(0);
  });

  it('keeps its proofs when another service imports and exports it', async () => {
    const { graph } = await graphWith(4);
    const bytes = await exported(graph);
    const imported = randomUUID();
    const answer = await importBytes(service, bytes, `graph_id=${imported}`);
    expect(answer.status, answer.text).toBe(201);
    await putStatements(service, imported, [didStatement(randomUUID())]);
    const again = await exportBytes(service, `graph_ids=${imported}&${everything}`);
    const { findings, summary } = await verifiedManifest(pool, again, 'json', await trust());
    expect(findings.filter(({ kind }) => kind === 'fault')).toEqual([]);
    expect(summary).toMatchObject({ unlogged: 1, logs: [{ log: `graphs/${graph}`, statements: 4 }] });
    const both = await verifiedManifest(pool, await exported(imported), 'json', await trust());
    expect(both.findings.filter(({ kind }) => kind === 'fault')).toEqual([]);
    expect(both.summary.logs.map(({ log }) => log)).toEqual([`graphs/${graph}`, `graphs/${imported}`]);
  });

  it('covers all graphs and the statements without one', async () => {
    const { graph } = await graphWith(2);
    const bytes = await exportBytes(service, `${everything}&include_proofs=true`);
    const { summary } = await verifiedManifest(pool, bytes, 'json', await trust());
    expect(summary.faults).toBe(0);
    const logs = summary.logs.map(({ log }) => log);
    expect(logs).toContain(`graphs/${graph}`);
    expect(logs).toContain('statements');
  });

  it('runs in the background as well', async () => {
    const { graph } = await graphWith(2);
    const headers = { prefer: 'respond-async, wait=30' };
    const { text } = await ask(`/manifest/v1?graph_ids=${graph}&include_context=true&include_proofs=true`, {
      headers,
    });
    const { state, result } = JSON.parse(text);
    expect(state).toBe('done');
    const manifest = await ask(result);
    const { summary } = await verifiedManifest(pool, Buffer.from(manifest.text), 'json', await trust());
    expect(summary).toMatchObject({ faults: 0, logs: [{ statements: 2 }] });
  });

  it('of an empty graph has no proof', async () => {
    const bytes = await exported(await newGraph(service));
    expect(JSON.parse(bytes.toString())).toMatchObject({ statements: {} });
  });
});

it('names statements by their form, too', async () => {
  const { graph, ids } = await graphWith(1);
  const { json } = await send(
    service,
    'POST',
    '/log/v1/proofs',
    { statements: ids, graph_id: graph },
    waiting.headers,
  );
  const { jcs_cid } = json.receipts[0];
  expect(parseCid(jcs_cid).text).toBe(jcs_cid);
  expect((await ask(`/log/v1/proof/${jcs_cid}`, waiting)).status).toBe(200);
});
