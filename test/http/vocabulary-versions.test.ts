import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownContext } from '../../src/domain/integrity/contexts/own.ts';
import { blobUrn } from '../builders/statements.ts';
import { cairn, temporaryFolder } from '../cli/run-cairn.ts';
import { describeTestData, listTestData, readTestBytes, readTestJson } from '../test-data.ts';
import { everything, exportBytes, importBytes, newGraph, putStatements } from './manifest-samples.ts';
import { putBlob, send, useService } from './service.ts';

const service = useService();
const other = useService();
const versions = [...ownContext.versions.keys()];
const put = (statement: object, more: object = {}) =>
  send(service, 'PUT', '/statements/v1', { statement, generate_id: true, ...more });
const statementIn = (context: string, fields: object = {}) => ({
  '@context': context,
  '@type': 'DataRegistration',
  registeredBy: 'did:web:builder.example',
  timestamp: '2026-01-31T12:00:00Z',
  data: blobUrn('data'),
  ...fields,
});

describe('each published version of the vocabulary', () => {
  test('gives a statement the same id', async () => {
    const ids = await Promise.all(versions.map(async (url) => (await put(statementIn(url))).json.rdfc_cid));
    expect(new Set(ids).size).toBe(1);
  });

  test('gives the statement of version 1 that README once had the CIDs that it was published with', async () => {
    const { json } = await put({
      '@context': versions[0],
      '@type': 'ComputationRegistration',
      registeredBy: 'did:web:builder.example',
      timestamp: '2026-01-31T12:00:00Z',
      operatedBy: 'did:web:builder.example',
      input: 'urn:cid:bafkr4ieiecm62u77db4btzk2qvezzoh57stjcvvwctfbhkps2aiybc52zu',
      output: 'urn:cid:bafkr4ibqpbbrebyyitoknlgaqbllv4yh3dgma7feaxtqaigyx3rdjgktay',
    });
    expect(json).toEqual({
      rdfc_cid: 'bagb6qaq6eck62dk7wabsscacsqyri7io4z7bku6r6kagharr62qbbdhnpwwwc',
      jcs_cid: 'baga6yaq6ebsblzabbrmyjlvdsi2silcswgccgvzahtkp6e3yd52ytl4uomona',
    });
  });

  test.each(versions)('refuses members that the id does not cover: %s', async (url) => {
    const { status, json } = await put(statementIn(url, { note: 'not covered' }));
    expect(status).toBe(400);
    expect(JSON.stringify(json)).toContain('/note');
  });

  test('does not define retractions before version 2', async () => {
    const subject = 'urn:cid:bagb6qaq6eck62dk7wabsscacsqyri7io4z7bku6r6kagharr62qbbdhnpwwwc';
    const retraction = { '@type': 'RetractionRegistration', data: undefined, subject };
    const statuses = await Promise.all(
      versions.map(async (url) => (await put(statementIn(url, retraction))).status),
    );
    expect(statuses).toEqual([400, 201]);
  });
});

describeTestData('a manifest with statements of each version and of the public context', () => {
  test('is exported, verified offline and imported', async () => {
    const { statements } = readTestJson<{ statements: { statement: Record<string, unknown> }[] }>(
      'interop',
      'vectors.json',
    );
    const common = 'bafkr4icploa577ziqnb57jlpoj7l2hi5kgt3knxpdtunlttjd3q33zeqpy';
    for (const name of listTestData('interop', 'contexts', 'cid'))
      await putBlob(service, readTestBytes('interop', 'contexts', 'cid', name));
    const foreign = statements.find(
      ({ statement }) => statement['@context'] === `urn:cid:${common}`,
    )?.statement;
    const graph = await newGraph(service);
    const own = versions.map((url, at) => statementIn(url, { data: blobUrn(`of version ${at}`) }));
    await putStatements(service, graph, [...own, foreign ?? {}]);
    const bytes = await exportBytes(service, `graph_ids=${graph}&${everything}`);
    using folder = temporaryFolder();
    const file = join(folder.path, 'manifest.json');
    writeFileSync(file, bytes);
    const { code, stdout } = await cairn(['verify', file], { env: { CAIRN_URL: 'http://127.0.0.1:9' } });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('3 statements') });
    const imported = await importBytes(other, bytes);
    expect(imported.json.statements).toMatchObject({ stored: 3 });
    expect(imported.json.unverified_contexts).toEqual([]);
  });
});
