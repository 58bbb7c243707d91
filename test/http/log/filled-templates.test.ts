import { describe, expect, test } from 'vitest';
import { jcs } from '../../../src/domain/integrity/identification/jcs.ts';
import { cidOf, codecs } from '../../../src/domain/integrity/identifiers/cid.ts';
import { withAttachments } from '../../../src/domain/integrity/manifest/attach.ts';
import { checkManifest } from '../../../src/domain/integrity/policies/check-manifest.ts';
import { inMemory } from '../../../src/domain/json/random-access.ts';
import { noWitnesses } from '../../../src/domain/log/notes/policy.ts';
import { templateNamed } from '../../../src/ui/template-report/templates.ts';
import { signatureChecks } from '../../builders/signatures.ts';
import { usePool } from '../../builders/statement-pool.ts';
import { checkedModels } from '../checked-model.ts';
import { carType, everything, exportBytes, importBytes } from '../manifest-samples.ts';
import { send, useService } from '../service.ts';

const service = useService();
const pool = usePool();
const { put, document, signedModel } = checkedModels(service);
const policy = templateNamed('model-card') ?? expect.fail();

/** The text of a page, without its tags. */
const words = (page: string) =>
  page
    .replaceAll(/<style>.*?<\/style>|<wbr>/gs, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');

async function described(name: string) {
  const made = await signedModel(name);
  const metadata = await document({ name, kind: 'model', license: 'MIT', developers: '<b>Ada</b>' });
  await put(made.graph, { '@type': 'MetadataRegistration', subject: made.model, metadata });
  return made;
}

describe('a report by a template', () => {
  test('lists the gaps first, fills the chapters with what is known, and names the statements', async () => {
    const { graph, model } = await described('carded');
    const { status, text, headers } = await send(
      service,
      'GET',
      `/report/v1/${model}?template=model-card&graph_id=${graph}`,
    );
    expect(status).toBe(200);
    expect(headers.get('content-disposition')).toContain('model-card-carded');
    const page = words(text);
    expect(page).toMatch(/Model card carded .*No gaps|There are gaps/);
    expect(page).toMatch(
      /Wanted: uses without fine-tuning\. State it as direct_use in the metadata of the model\./,
    );
    expect(page).toMatch(/Developed by &lt;b&gt;Ada&lt;\/b&gt; \[\d+\]/);
    expect(page).toMatch(/pass The training is recorded Rests on: \[\d+\]/);
    expect(Number(headers.get('cairn-report-gaps'))).toBe([...text.matchAll(/<li class="gap">/g)].length);
  });

  test('names the templates if there is none of this name', async () => {
    const { model } = await described('unknown template');
    const { status, json } = await send(service, 'GET', `/report/v1/${model}?template=model-crad`);
    expect([status, json.error]).toEqual([400, expect.stringContaining('model-card, slsa-build-levels.')]);
  });
});

describe('a CAR with attached files', () => {
  async function checked(bytes: Uint8Array, form: 'json' | 'car', subject: string) {
    const ports = {
      ...pool,
      maxStatementBytes: 1 << 20,
      signatures: await signatureChecks(pool.identifier),
      logs: { logs: [], policy: noWitnesses },
      evidenceReader: { read: async () => ({ kind: 'none', evidence: [] }) },
      serviceDids: new Set<string>(),
      now: () => new Date('2026-06-01T00:00:00Z'),
    };
    const faults: unknown[] = [];
    const request = { subject, policy, explain: true };
    const { check, facts, summary } = await checkManifest(ports, inMemory(bytes), form, request, (one) => {
      if (one.kind === 'fault') faults.push(one);
    });
    const { blobs, ...counts } = summary;
    return { check, facts, counts, faults, blobs };
  }

  test.each([
    ['json', 'application/json'],
    ['car', carType],
  ] as const)('made of a manifest in %s can be verified, and gives the same verdict', async (form, type) => {
    const { graph, model } = await described(`attached to ${form}`);
    const bytes = await exportBytes(service, `graph_ids=${graph}&${everything}&include_proofs=true`, type);
    const attachments = [
      { cid: cidOf(codecs.jcs, jcs(policy.source)), bytes: Buffer.from(jcs(policy.source)) },
      { cid: cidOf(codecs.raw, Buffer.from('<html>')), bytes: Buffer.from('<html>') },
    ];
    const car = Buffer.concat(await Array.fromAsync(withAttachments(inMemory(bytes), form, attachments)));
    const { blobs, ...before } = await checked(bytes, form, model);
    const { blobs: blobsAfter, ...after } = await checked(car, 'car', model);
    expect(after).toEqual(before);
    expect(before.faults).toEqual([]);
    expect(blobsAfter).toBe(blobs + attachments.length);
    const again = Buffer.concat(await Array.fromAsync(withAttachments(inMemory(car), 'car', attachments)));
    expect(again.equals(car)).toBe(true);

    const imported = await importBytes(service, car, '', carType);
    expect(imported.status, imported.text).toBe(201);
    const policyCid = `/store/v1/blob/${attachments[0]?.cid.text}`;
    expect((await send(service, 'GET', policyCid)).status).toBe(200);
  });

  test('cannot lose an attached file unnoticed', async () => {
    const { graph, model } = await described('lost');
    const bytes = await exportBytes(service, `graph_ids=${graph}&${everything}`, carType);
    const file = { cid: cidOf(codecs.raw, Buffer.from('the report')), bytes: Buffer.from('the report') };
    const car = Buffer.concat(await Array.fromAsync(withAttachments(inMemory(bytes), 'car', [file])));
    const changed = Buffer.from(car.toString('latin1').replace('the report', 'The report'), 'latin1');
    const { check, faults } = await checked(changed, 'car', model);
    expect([check.result, faults]).toMatchObject(['fail', [{ code: 'cid_mismatch' }]]);
    expect(check.verdicts[0]?.rules.filter(({ result }) => result === 'pass')).toEqual([]);
  });
});
