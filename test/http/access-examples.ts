import { randomBytes, randomUUID } from 'node:crypto';
import {
  type AccessRule,
  anywhere,
  known,
  onNamedProject,
  onProject,
} from '../../src/domain/access/access.ts';
import { newCredential } from '../builders/credentials.ts';
import { runEvent } from '../builders/lineage-events.ts';
import { slsaStatement } from '../builders/provenance.ts';
import { dataOf, json, type Send, type World } from './access-world.ts';
import { governanceExamples } from './governance/access-examples.ts';
import type { Answer } from './service.ts';

export type SendAs = (send: Send) => Promise<Answer>;

/** A request that a caller with all permissions in the first project, and none elsewhere, may send. */
export interface Example {
  /** The access rule of the specification. */
  readonly access: AccessRule;
  /** The method and path are those of the operation if the path has no parameters. @param as sends as that caller. */
  readonly request: (world: World, as: SendAs) => Promise<Omit<Send, 'method'>> | Omit<Send, 'method'>;
  readonly status: number;
  /** Text that the answer contains for that caller, but not for callers who may not view the project. */
  readonly secret?: (world: World) => string;
}

/** A part of a log, as soon as it is published. */
function published(of: string | ((world: World) => string)): Example {
  return {
    access: known,
    async request(world, as) {
      const path = typeof of === 'string' ? of : of(world);
      while ((await as({ method: 'GET', path })).status === 404);
      return { path };
    },
    status: 200,
  };
}

function ofGraphLog(part: string, secret: (world: World) => string): Example {
  return { ...published(({ alpha }) => `/log/v1/graphs/${alpha.id}/${part}`), secret };
}

const octets = (body: string) => ({ body, headers: { 'content-type': 'application/octet-stream' } });

async function newExport({ alpha }: World, as: SendAs): Promise<string> {
  const path = `/manifest/v1?graph_ids=${alpha.id}`;
  const asked = await as({ method: 'GET', path, headers: { prefer: 'respond-async' } });
  return String(asked.headers.get('location'));
}

async function doneExport(world: World, as: SendAs): Promise<string> {
  const path = await newExport(world, as);
  for (;;) {
    const { status, json: state } = await as({ method: 'GET', path });
    if (status !== 200 || state.state === 'done') return path;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A credential that the caller has allocated. */
async function newAllocation(as: SendAs) {
  const path = '/credentials/v1/allocate';
  const { json: credential, text } = await as({ method: 'POST', path, ...json(newCredential()) });
  return credential ?? Promise.reject(new Error(text));
}

const statement = () => dataOf(randomUUID());

/** One for each operation that is not public. A test finds missing ones. */
export const examples: Readonly<Record<string, Example>> = {
  'PUT /statements/v1': {
    access: onProject('create_declarations'),
    request: ({ alpha }) => ({
      path: '/statements/v1',
      ...json({ statement: statement(), generate_id: true, graph_id: alpha.id }),
    }),
    status: 201,
  },
  'PUT /statements/v1/batch': {
    access: onProject('create_declarations'),
    request: ({ alpha }) => ({
      path: '/statements/v1/batch',
      ...json({ statements: [statement(), statement()], generate_id: true, graph_id: alpha.id }),
    }),
    status: 201,
  },
  'POST /evidence/v1': {
    access: onProject('create_declarations'),
    request: ({ alpha }) => ({
      path: `/evidence/v1?graph_id=${alpha.id}`,
      ...json(
        slsaStatement({ subject: [{ name: 'app', digest: { sha512: randomBytes(64).toString('hex') } }] }),
      ),
    }),
    status: 201,
  },
  'POST /api/v1/lineage': {
    access: onProject('create_declarations'),
    request: ({ alpha }) => ({
      path: `/api/v1/lineage?graph_id=${alpha.id}`,
      ...json(runEvent('COMPLETE', { run: randomUUID() })),
    }),
    status: 201,
  },
  'POST /api/v1/lineage/batch': {
    access: onProject('create_declarations'),
    request: ({ alpha }) => ({
      path: `/api/v1/lineage/batch?graph_id=${alpha.id}`,
      ...json([runEvent('COMPLETE', { run: randomUUID() })]),
    }),
    status: 200,
  },
  'PUT /statements/v1/create/did/{did_key}': {
    access: onProject('create_declarations'),
    request: ({ alpha }) => ({
      path: `/statements/v1/create/did/did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp?graph_id=${alpha.id}`,
    }),
    status: 201,
  },
  'GET /statements/v1': {
    access: known,
    request: () => ({ path: '/statements/v1?limit=1000' }),
    status: 200,
    secret: ({ alpha }) => alpha.statement.statement_id,
  },
  'GET /search/v1': {
    access: known,
    request: ({ alpha }) => ({ path: `/search/v1?q=${alpha.id}` }),
    status: 200,
    secret: ({ alpha }) => `named ${alpha.id}`,
  },
  'POST /names/v1': {
    access: known,
    request: ({ alpha }) => ({ path: '/names/v1', ...json({ ids: [alpha.blob] }) }),
    status: 200,
    secret: ({ alpha }) => `named ${alpha.id}`,
  },
  'POST /checks/v1': {
    access: known,
    request: ({ alpha }) => {
      const policy = { cairn: 'policy/1', name: 'any', rules: [{ name: 'named', require: "name != ''" }] };
      return { path: '/checks/v1', ...json({ subject: alpha.blob, policy, explain: true }) };
    },
    status: 200,
    secret: ({ alpha }) => `named ${alpha.id}`,
  },
  'POST /checks/v1/certificate/{project_uuid}': {
    access: onNamedProject('create_credentials'),
    request: ({ alpha }) => {
      const policy = { cairn: 'policy/1', name: 'any', rules: [{ name: 'named', require: "name != ''" }] };
      const body = { subject: alpha.blob, policy, expiryDate: '2099-12-31' };
      return { path: `/checks/v1/certificate/${alpha.id}`, ...json(body) };
    },
    status: 200,
  },
  'GET /statements/v1/id/{id}': {
    access: anywhere('view_project_data'),
    request: ({ alpha }) => ({ path: `/statements/v1/id/${alpha.statement.rdfc_cid}` }),
    status: 200,
  },
  'GET /statements/v1/id/{id}/verification': {
    access: anywhere('view_project_data'),
    request: ({ alpha }) => ({ path: `/statements/v1/id/${alpha.statement.rdfc_cid}/verification` }),
    status: 200,
  },
  'PUT /store/v1/blob': {
    access: anywhere('create_declarations', 'create_comments'),
    request: () => ({ path: '/store/v1/blob', ...octets(randomUUID()) }),
    status: 200,
  },
  'PUT /store/v1/blob/batch': {
    access: anywhere('create_declarations', 'create_comments'),
    request() {
      const boundary = 'boundary';
      const body = `--${boundary}\r\ncontent-disposition: form-data; name="a"; filename="a"\r\n\r\nx\r\n--${boundary}--\r\n`;
      const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
      return { path: '/store/v1/blob/batch', body, headers };
    },
    status: 200,
  },
  'PUT /store/v1/jcs': {
    access: anywhere('create_declarations', 'create_comments'),
    request: () => ({ path: '/store/v1/jcs', ...json({}) }),
    status: 200,
  },
  'GET /store/v1/blob/{cid}': {
    access: anywhere('view_project_data'),
    request: ({ alpha }) => ({ path: `/store/v1/blob/${alpha.blob}` }),
    status: 200,
  },
  'GET /store/v1/exists/{cid}': {
    access: anywhere('view_project_data'),
    request: ({ alpha }) => ({ path: `/store/v1/exists/${alpha.blob}` }),
    status: 200,
  },
  'POST /store/v1/missing': {
    access: anywhere('view_project_data'),
    request: ({ alpha }) => ({ path: '/store/v1/missing', ...json({ cids: [alpha.blob] }) }),
    status: 200,
  },
  'POST /store/v1/small': {
    access: anywhere('view_project_data'),
    request: ({ alpha }) => ({ path: '/store/v1/small', ...json({ cids: [alpha.blob] }) }),
    status: 200,
  },
  'GET /store/v1/text/{cid}': {
    access: anywhere('view_project_data'),
    request: ({ alpha }) => ({ path: `/store/v1/text/${alpha.blob}` }),
    status: 200,
  },
  'GET /store/v1/iroh-collection/{cid}': {
    access: anywhere('view_project_data'),
    request: ({ alpha }) => ({ path: `/store/v1/iroh-collection/${alpha.collection}` }),
    status: 200,
  },
  'POST /utils/v1/integrity/statement/compute-id': {
    access: known,
    request: () => ({
      path: '/utils/v1/integrity/statement/compute-id',
      ...json({ statement: statement() }),
    }),
    status: 200,
  },
  'POST /utils/v1/json-ld/rdfc_cid': {
    access: known,
    request: () => ({ path: '/utils/v1/json-ld/rdfc_cid', ...json(statement()) }),
    status: 200,
  },
  'POST /utils/v1/json-ld/to-nquads': {
    access: known,
    request: () => ({ path: '/utils/v1/json-ld/to-nquads', ...json(statement()) }),
    status: 200,
  },
  'GET /utils/v1/json-ld/static-contexts': {
    access: known,
    request: () => ({ path: '/utils/v1/json-ld/static-contexts' }),
    status: 200,
  },
  'GET /manifest/v1': {
    access: onProject('view_project_data'),
    request: ({ alpha }) => ({ path: `/manifest/v1?graph_ids=${alpha.id}` }),
    status: 200,
  },
  'GET /manifest/v1/exports/{id}': {
    access: onProject('view_project_data'),
    request: async (world, as) => ({ path: await newExport(world, as) }),
    status: 200,
  },
  'GET /manifest/v1/exports/{id}/result': {
    access: onProject('view_project_data'),
    request: async (world, as) => ({ path: `${await doneExport(world, as)}/result` }),
    status: 200,
  },
  'DELETE /manifest/v1/exports/{id}': {
    access: known,
    request: async (world, as) => ({ path: await newExport(world, as) }),
    status: 204,
  },
  'POST /manifest/v1': {
    access: onNamedProject('create_projects', 'create_declarations'),
    async request({ alpha }, as) {
      const { text } = await as({ method: 'GET', path: `/manifest/v1?graph_ids=${alpha.id}` });
      const path = `/manifest/v1?parent_id=${alpha.id}`;
      return { path, body: text, headers: { 'content-type': 'application/json' } };
    },
    status: 201,
  },
  'PUT /graph/v1': {
    access: onNamedProject('create_projects', 'create_declarations'),
    request: ({ alpha }) => ({
      path: '/graph/v1',
      ...json({ graph_id: randomUUID(), name: 'a child', parent_id: alpha.id }),
    }),
    status: 201,
  },
  'GET /graph/v1': {
    access: known,
    request: () => ({ path: '/graph/v1?limit=1000' }),
    status: 200,
    secret: ({ alpha }) => `project ${alpha.id}`,
  },
  'GET /graph/v1/{uuid}': {
    access: known,
    request: ({ alpha }) => ({ path: `/graph/v1/${alpha.id}` }),
    status: 200,
    secret: () => '"graphs"',
  },
  'GET /cid/v1/find/{cid}': {
    access: known,
    request: ({ alpha }) => ({ path: `/cid/v1/find/${alpha.blob}` }),
    status: 200,
    secret: ({ alpha }) => alpha.statement.statement_id,
  },
  'GET /lineage/v1/{id}': {
    access: known,
    request: ({ alpha }) => ({ path: `/lineage/v1/${alpha.statement.rdfc_cid}` }),
    status: 200,
    secret: () => '"nodes"',
  },
  'GET /lineage/v1/{id}/provenance': {
    access: known,
    request: ({ alpha }) => ({ path: `/lineage/v1/${alpha.run}/provenance?format=prov` }),
    status: 200,
    secret: () => '"activity"',
  },
  'GET /runs/v1': {
    access: known,
    request: () => ({ path: '/runs/v1?limit=200' }),
    status: 200,
    secret: ({ alpha }) => alpha.run,
  },
  'GET /runs/v1/{id}': {
    access: known,
    request: ({ alpha }) => ({ path: `/runs/v1/${alpha.run}` }),
    status: 200,
    secret: () => '"parameters"',
  },
  'GET /report/v1/{id}': {
    access: known,
    request: ({ alpha }) => ({ path: `/report/v1/${alpha.statement.rdfc_cid}` }),
    status: 200,
    secret: () => 'Evidence report',
  },
  ...governanceExamples,
  'POST /credentials/v1/allocate': {
    access: anywhere('create_credentials'),
    request: () => ({ path: '/credentials/v1/allocate', ...json(newCredential()) }),
    status: 200,
  },
  'POST /credentials/v1/revoke/{credentialId}': {
    access: anywhere('revoke_credentials'),
    async request(_, as) {
      const { id, credentialStatus } = await newAllocation(as);
      return { path: `/credentials/v1/revoke/${id}`, ...json({ credentialStatus: credentialStatus[0] }) };
    },
    status: 200,
  },
  'GET /credentials/v1/status': {
    access: anywhere('view_project_data'),
    request: async (_, as) => ({
      path: `/credentials/v1/status?credential_id=${(await newAllocation(as)).id}`,
    }),
    status: 200,
  },
  'GET /credentials/v1/status-lists/{id}': {
    access: known,
    async request(_, as) {
      const { credentialStatus } = await newAllocation(as);
      return { path: new URL(credentialStatus[0].statusListCredential).pathname };
    },
    status: 200,
  },
  'POST /credentials/v1/verify': {
    access: known,
    request: () => ({ path: '/credentials/v1/verify', ...json({ credential: newCredential() }) }),
    status: 200,
  },
  'GET /log/v1/overview': published('/log/v1/overview'),
  'POST /log/v1/receipt-check': {
    access: known,
    async request({ alpha }, as) {
      const path = `/log/v1/proof/${alpha.statement.rdfc_cid}?graph_id=${alpha.id}`;
      const { text } = await as({ method: 'GET', path, headers: { prefer: 'wait=20' } });
      return { path: '/log/v1/receipt-check', headers: { 'content-type': 'text/plain' }, body: text };
    },
    status: 200,
  },
  'GET /log/v1/checkpoint': published('/log/v1/checkpoint'),
  'GET /log/v1/key': published('/log/v1/key'),
  'GET /log/v1/tile/{tile}': published('/log/v1/tile/0/000.p/1'),
  'GET /log/v1/proof/{statement}': {
    access: anywhere('view_project_data'),
    request: ({ alpha }) => ({
      path: `/log/v1/proof/${alpha.statement.rdfc_cid}?graph_id=${alpha.id}`,
      headers: { prefer: 'wait=20' },
    }),
    status: 200,
    secret: () => 'c2sp.org/tlog-proof',
  },
  'POST /log/v1/proofs': {
    access: anywhere('view_project_data'),
    request: ({ alpha }) => ({
      path: '/log/v1/proofs',
      ...json({ statements: [alpha.statement.rdfc_cid], graph_id: alpha.id }),
    }),
    status: 200,
    secret: () => '"receipts"',
  },
  'POST /log/v1/standings': {
    access: known,
    request: ({ alpha }) => ({
      path: '/log/v1/standings',
      body: JSON.stringify({ statements: [alpha.statement.rdfc_cid], graphs: [alpha.id] }),
      headers: { 'content-type': 'application/json', prefer: 'wait=20' },
    }),
    status: 200,
    secret: () => '"logged"',
  },
  'GET /log/v1/graphs/{uuid}/checkpoint': ofGraphLog('checkpoint', ({ alpha }) => `/graphs/${alpha.id}\n`),
  'GET /log/v1/graphs/{uuid}/name': ofGraphLog('name', ({ alpha }) => `graphs/${alpha.id}`),
  'GET /log/v1/graphs/{uuid}/key': ofGraphLog('key', ({ alpha }) => `/graphs/${alpha.id}+`),
  'GET /log/v1/graphs/{uuid}/tile/{tile}': ofGraphLog('tile/entries/000.p/1', () => '\u001e '),
  'GET /dynamic-config/v1': { access: known, request: () => ({ path: '/dynamic-config/v1' }), status: 200 },
  'PUT /dynamic-config/v1': {
    access: anywhere('manage_configuration'),
    request: () => ({ path: '/dynamic-config/v1', ...json({ blob_store_write_concurrency_limit: 32 }) }),
    status: 200,
  },
};
