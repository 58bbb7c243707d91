import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { jcs } from '../../src/domain/integrity/identification/jcs.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { ownStatement } from '../builders/statements.ts';
import { artefact, registrant, storeMarkedLineage } from '../chromium/marked-lineage.ts';
import { putBlob, send, useService } from './service.ts';
import { signedCredential, trusted } from './trusted-statements.ts';

const service = useService();

test('a report says who signed, whether that stands, and what was computed again', async () => {
  await storeMarkedLineage(service);
  await putBlob(service, 'release');
  const { status, headers, text } = await send(service, 'GET', `/report/v1/${artefact('release')}`);
  expect(status, text).toBe(200);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename=report-bafkr4i\w+\.html$/);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('cairn-report-problems')).toBe('0');
  const words = text.replaceAll(/<style>.*?<\/style>|<[^>]*>/gs, ' ').replaceAll(/\s+/g, ' ');
  expect(words).toContain('was made in 4 computations');
  expect(words).toContain('1 statement whose signature has been revoked.');
  expect(words).toContain('The credential expired at 2026-02-01T00:00:00Z.');
  expect(words).toMatch(
    /identifiers of \d+ statements and of 1 file or document were computed again, and match\./,
  );
  expect(words).toContain(
    'Of 4 statements: 1 signed by another, 1 signed, but not valid now, 1 revoked, 1 not signed.',
  );
  expect(words).toContain(registrant);

  expect((await send(service, 'GET', `/report/v1/${artefact('never stored')}`)).status).toBe(404);
  expect((await send(service, 'GET', '/report/v1/not-an-identifier')).status).toBe(400);
});

test('a report names the signer of a review whose document names nobody, and the service by its own name', async () => {
  const stored = trusted(service);
  const subject = artefact('reviewed');
  const review = { decision: 'approved', comment: 'Low error.' };
  const { json: own } = await send(service, 'PUT', `/statements/v1/create/did/${stored.key.did}`);
  const reviewing = async (document: object, more = {}) => {
    const { json } = await send(service, 'PUT', '/store/v1/jcs', document);
    const governed = { ...stored.statement(), '@type': 'GovernanceRegistration', data: undefined, ...more };
    return await stored.put({ ...governed, subject, document: `urn:cid:${json.cid}` });
  };
  const signed = await reviewing(review);
  await stored.put(stored.registration(await signedCredential(`urn:cid:${signed.json.rdfc_cid}`)));
  await reviewing({ ...review, decision: 'rejected' });
  await reviewing({ decision: 'changes_requested', submittedBy: own.statement.registeredBy });
  const { text } = await send(service, 'GET', `/report/v1/${subject}`);
  const words = text.replaceAll(/<style>.*?<\/style>|<[^>]*>/gs, ' ').replaceAll(/\s+/g, ' ');
  expect(words).toMatch(/Review: approved “ Low error\. ” \S+ did:key:z6Mk\S+ , who signed it/);
  expect(words).toMatch(/Review: rejected “ Low error\. ” \S+ not named/);
  expect(words).toMatch(/Review: changes requested \S+ this service did:key:z6Mk\S+ not signed/);
});

test('a report names files by the end of their path, and programs after any number of inputs', async () => {
  const name = async (subject: string, text: string) => {
    const metadata = { name: text };
    await send(service, 'PUT', '/store/v1/jcs', metadata);
    const document = cidUrn(cidOf(codecs.jcs, jcs(metadata)));
    await put(ownStatement('MetadataRegistration', { subject, metadata: document }));
  };
  const put = async (statement: object) => {
    const { status, text } = await send(service, 'PUT', '/statements/v1', { statement, generate_id: true });
    expect(status, text).toBe(201);
  };
  for (const step of [1, 2, 3]) {
    const input = Array.from({ length: 1_100 }, (_, at) => artefact(`input ${at} of ${step}`));
    await put(
      ownStatement('ComputationRegistration', {
        input: [artefact('shared'), ...input],
        output: artefact(`archive ${step}`),
        computation: artefact(`program ${step}`),
        operatedBy: registrant,
      }),
    );
    await name(artefact(`program ${step}`), `Collect ${step}`);
  }
  await name(artefact('archive 1'), 'releases/of/the/service/2026/archive.tar');
  const { text } = await send(service, 'GET', `/report/v1/${artefact('archive 1')}`);
  expect(text).toMatch(/class="title">…\/[\w/]*2026\/archive\.tar<\/text>/);
  const { text: used } = await send(service, 'GET', `/report/v1/${artefact('shared')}`);
  for (const step of [1, 2, 3]) expect(used).toContain(`<strong><bdi>Collect ${step}</bdi></strong> made`);
});

test('a report names the small files that are drawn once in each graph', async () => {
  const graph = randomUUID();
  const inGraph = async (statement: object) => {
    const body = { statement, generate_id: true, graph_id: graph };
    expect((await send(service, 'PUT', '/statements/v1', body)).status).toBe(201);
  };
  await send(service, 'PUT', '/graph/v1', { graph_id: graph, name: 'Small' });
  await putBlob(service, 'z');
  const metadata = { name: 'z.txt' };
  await send(service, 'PUT', '/store/v1/jcs', metadata);
  const document = cidUrn(cidOf(codecs.jcs, jcs(metadata)));
  await inGraph(ownStatement('MetadataRegistration', { subject: artefact('z'), metadata: document }));
  await inGraph(
    ownStatement('ComputationRegistration', {
      input: artefact('model'),
      output: artefact('z'),
      operatedBy: registrant,
    }),
  );
  const { text } = await send(service, 'GET', `/report/v1/${artefact('model')}`);
  expect(text).toContain('</strong> made <bdi>z.txt</bdi> on ');
});
