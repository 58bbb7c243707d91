import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ownStatement } from '../builders/statements.ts';
import { describeWith } from '../describe-with.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { spawnService } from './spawn-cairn.ts';

const run = promisify(execFile);
const tools = process.env.CAIRN_TEST_OPENAPI_TOOLS ?? '';
const absence = 'there are no tools (CAIRN_TEST_OPENAPI_TOOLS, installed by .ci/openapi-tools)';

const statement = JSON.stringify(ownStatement('DidRegistration'));

/** Both store a statement, read it and list graphs. They print its id twice, and the number of graphs. */
const python = `
import json
from cairn_client import Client
from cairn_client.api.statements import get_statements_v1_id_by_id, put_statements_v1
from cairn_client.api.graphs import get_graph_v1
from cairn_client.models import PutStatement
client = Client(base_url="URL")
body = PutStatement.from_dict({"statement": json.loads('STATEMENT'), "generate_id": True})
stored = put_statements_v1.sync(client=client, body=body)
read = get_statements_v1_id_by_id.sync(stored.rdfc_cid, client=client)
graphs = get_graph_v1.sync(client=client, counts=False)
print("urn:cid:" + stored.rdfc_cid, read.additional_properties["@id"], len(graphs.graphs))
`;
const typescript = `
import createClient from 'openapi-fetch';
import type { paths } from './cairn.d.ts';
const client = createClient<paths>({ baseUrl: 'URL' });
const body = { statement: JSON.parse('STATEMENT'), generate_id: true };
const stored = await client.PUT('/statements/v1', { body });
const id = stored.data!.rdfc_cid;
const read = await client.GET('/statements/v1/id/{id}', { params: { path: { id } } });
const { data } = await client.GET('/graph/v1', { params: { query: { counts: false } } });
console.log('urn:cid:' + id, (read.data as Record<string, unknown>)['@id'], data!.graphs.length);
`;

/** The description without what the client throws. */
function withoutErrors(description: string): string {
  const { paths, ...rest } = JSON.parse(description);
  for (const path of Object.values<Record<string, { responses: Record<string, unknown> }>>(paths))
    for (const { responses } of Object.values(path))
      for (const status of Object.keys(responses)) if (!/^[23]/.test(status)) delete responses[status];
  return JSON.stringify({ ...rest, paths });
}

describeWith(!existsSync(join(tools, 'bin/openapi-python-client')) && absence, 'the API description', () => {
  test('is valid, and clients that are generated from it can call the service', async () => {
    await using service = await spawnService();
    using folder = temporaryFolder();
    const file = join(folder.path, 'openapi.json');
    const description = await (await fetch(`${service.url}/openapi.json`)).text();
    writeFileSync(file, description);
    const within = (script: string) => script.replace('URL', service.url).replace('STATEMENT', statement);
    const answer = /^(urn:cid:\w+) \1 0\n$/;

    await run(join(tools, 'bin/openapi-spec-validator'), [file]);
    await run(join(tools, 'node_modules/.bin/redocly'), ['lint', file]);

    const generate = ['generate', '--path', file, '--meta', 'none'];
    const target = ['--output-path', join(folder.path, 'cairn_client')];
    const generated = await run(join(tools, 'bin/openapi-python-client'), [...generate, ...target]);
    const operations = Object.values<object>(JSON.parse(description).paths).flatMap(Object.keys);
    expect(operations.length).toBeGreaterThan(50);
    expect(generated.stdout).not.toContain('endpoint will not be generated');
    writeFileSync(join(folder.path, 'call.py'), within(python));
    const called = await run(join(tools, 'bin/python'), ['call.py'], { cwd: folder.path });
    expect(called.stdout).toMatch(answer);

    // Inside the folder of the tools, where Node and the compiler find the library.
    const sources = join(tools, 'generated');
    mkdirSync(sources, { recursive: true });
    const types = ['node_modules/.bin/openapi-typescript', file, '-o', 'generated/cairn.d.ts'];
    await run(types[0] ?? '', types.slice(1), { cwd: tools });
    writeFileSync(join(sources, 'call.mts'), within(typescript));
    const checks = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'esnext'];
    const paths = ['--allowImportingTsExtensions', 'generated/call.mts'];
    await run('node_modules/.bin/tsc', [...checks, ...paths], { cwd: tools });
    const { stdout } = await run(process.execPath, [join(sources, 'call.mts')]);
    expect(stdout).toMatch(answer);
  });

  // With -u it writes the file.
  test('gives the client of this package its types', async () => {
    await using service = await spawnService();
    using folder = temporaryFolder();
    const [description, types] = ['openapi.json', 'api.d.ts'].map((name) => join(folder.path, name));
    const whole = await (await fetch(`${service.url}/openapi.json`)).text();
    writeFileSync(description ?? '', withoutErrors(whole));
    await run('node_modules/.bin/openapi-typescript', [description ?? '', '-o', types ?? ''], { cwd: tools });
    await expect(readFileSync(types ?? '', 'utf8')).toMatchFileSnapshot('../../src/client/api.d.ts');
  });
});
