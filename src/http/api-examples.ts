import { ownContextUrl } from '../domain/integrity/contexts/own.ts';
import { jcs } from '../domain/integrity/identification/jcs.ts';
import { cidOf, codecs } from '../domain/integrity/identifiers/cid.ts';

/** What `/docs` fills in. */
export interface ApiExample {
  /** Of the path and the query. Parameters without an example stay empty. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const rawText = 'id,text\n1,hello\n';
const onePolicy = {
  cairn: 'policy/1',
  name: 'release',
  signers: { builder: ['did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp'] },
  rules: [{ name: 'made by the builder', require: "made_by.exists(c, c.signed_by == 'builder')" }],
};
const cleanText = 'id,text\n1,HELLO\n';
const raw = cidOf(codecs.raw, rawText).text;
const clean = cidOf(codecs.raw, cleanText).text;
const project = '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4';
const agent = 'agent_pq3rt7zkq5uehl2m4w6jxvb5cdnysgoa';
const jcsCid = (value: unknown) => cidOf(codecs.jcs, jcs(value)).text;

const builder = 'did:web:builder.example';
const key = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';
const credentialId = 'urn:uuid:7d3c1c0e-8a53-4a0a-9a0c-6c2f5b0e4d21';

const statement = {
  '@context': ownContextUrl,
  '@type': 'ComputationRegistration',
  registeredBy: builder,
  timestamp: '2026-01-31T12:00:00Z',
  operatedBy: builder,
  input: `urn:cid:${raw}`,
  output: `urn:cid:${clean}`,
};
const statementId = 'bagb6qaq6eck62dk7wabsscacsqyri7io4z7bku6r6kagharr62qbbdhnpwwwc';
const data = {
  '@context': ownContextUrl,
  '@type': 'DataRegistration',
  registeredBy: builder,
  timestamp: '2026-01-31T12:00:00Z',
  data: [`urn:cid:${raw}`, `urn:cid:${clean}`],
};
const described = { name: 'Cleaned samples', license: 'CC0-1.0' };
const metadata = {
  '@context': ownContextUrl,
  '@type': 'MetadataRegistration',
  registeredBy: builder,
  timestamp: '2026-01-31T12:00:00Z',
  subject: `urn:cid:${clean}`,
  metadata: `urn:cid:${jcsCid(described)}`,
};

const subject = { id: `urn:uuid:${project}`, name: 'Credit scoring', extra: { owner: 'risk' } };
const policy = { title: 'Model release', version: 2 };
const control = { title: 'Evaluate on held-out data' };
const declaration = {
  submittedAt: '2026-03-01T09:30:00+02:00',
  submittedBy: 'did:web:ada.example',
  controlCid: [jcsCid(control)],
  statement: 'The model reaches an AUC of 0.83 on the data of 2025.',
};
const governed = { subject_cid: jcsCid(subject), project_uuid: project };

const unsigned = {
  '@context': ['https://www.w3.org/ns/credentials/v2'],
  id: credentialId,
  type: ['VerifiableCredential'],
  issuer: key,
  validFrom: '2026-01-01T00:00:00Z',
  credentialSubject: { id: key },
};

const signed = {
  '@context': ['https://www.w3.org/ns/credentials/v2'],
  id: 'urn:uuid:3f0c1f3e-52f4-4f8e-8a57-0d1c9c1f6c55',
  type: ['VerifiableCredential'],
  issuer: 'did:key:z6MkgoMbq3vp6yY2raoxdD4uuVGPy6Lmb72fdDuvoJ2g94Lv',
  validFrom: '2026-01-31T12:00:00Z',
  credentialSubject: { id: 'urn:cid:bagb6qaq6ebhzbna7buz5z4tx7lelwseouhnfvglgp5n7x6qvo2ezdkkpnhvdc' },
  proof: {
    type: 'DataIntegrityProof',
    cryptosuite: 'eddsa-rdfc-2022',
    created: '2026-01-31T12:00:00Z',
    verificationMethod:
      'did:key:z6MkgoMbq3vp6yY2raoxdD4uuVGPy6Lmb72fdDuvoJ2g94Lv#z6MkgoMbq3vp6yY2raoxdD4uuVGPy6Lmb72fdDuvoJ2g94Lv',
    proofPurpose: 'assertionMethod',
    proofValue: 'z2j8rYMNr7YNES4e6e7w8gZcaARQy9tWwYRoNnh3nmxrH8aLrTcGPrbxihNKWpamfAvxK7GUPsBUtjWd4hkPd9PNt',
  },
};

const occurred = { agent_id: agent, occurred_at: '2026-03-01T09:30:00.250Z' };

/**
 * An example for each operation that has a body, and for others that need parameters. The examples of the integrity service
 * succeed on a fresh service in the order of `/docs`: later ones name what earlier ones have stored.
 */
const lineageEvent = {
  eventType: 'COMPLETE',
  eventTime: '2026-01-31T12:00:00Z',
  producer: 'https://example.com/scheduler',
  schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent',
  run: { runId: '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4' },
  job: { namespace: 'airflow', name: 'daily.load' },
  inputs: [{ namespace: 'postgres://db:5432', name: 'shop.public.orders' }],
  outputs: [{ namespace: 's3://reports', name: 'orders.parquet' }],
};

export const apiExamples: Readonly<Record<string, ApiExample>> = {
  'PUT /statements/v1': { body: { generate_id: true, statement } },
  'PUT /statements/v1/batch': { body: { generate_id: true, statements: [data, metadata] } },
  'GET /statements/v1/id/{id}': { parameters: { id: statementId } },
  'GET /statements/v1/id/{id}/verification': { parameters: { id: statementId } },
  'PUT /statements/v1/create/did/{did_key}': { parameters: { did_key: key } },
  'GET /statements/v1': { parameters: { type: 'ComputationRegistration', subject: clean } },
  'GET /cid/v1/find/{cid}': { parameters: { cid: clean } },
  'POST /checks/v1': { body: { subject: `urn:cid:${clean}`, policy: onePolicy } },
  'POST /checks/v1/certificate/{project_uuid}': {
    parameters: { project_uuid: project },
    body: { subject: `urn:cid:${clean}`, policy: onePolicy, expiryDate: '2099-12-31' },
  },
  'POST /names/v1': { body: { ids: [`urn:cid:${clean}`] } },
  'POST /log/v1/proofs': { body: { statements: [statementId] } },
  'POST /log/v1/standings': { body: { statements: [statementId] } },
  'GET /lineage/v1/{id}': { parameters: { id: clean, direction: 'upstream' } },
  'GET /runs/v1': { parameters: { limit: '20' } },
  'GET /runs/v1/{id}': { parameters: { id: statementId } },
  'PUT /store/v1/blob': { body: cleanText },
  'PUT /store/v1/jcs': { body: described },
  'GET /store/v1/blob/{cid}': { parameters: { cid: jcsCid(described) } },
  'POST /store/v1/missing': { body: { cids: [jcsCid(described)] } },
  'POST /store/v1/small': { body: { cids: [jcsCid(described)] } },
  'GET /store/v1/exists/{cid}': { parameters: { cid: jcsCid(described) } },
  'GET /store/v1/text/{cid}': { parameters: { cid: jcsCid(described) } },
  'POST /utils/v1/integrity/statement/compute-id': { body: { statement } },
  'POST /utils/v1/json-ld/rdfc_cid': { body: statement },
  'POST /utils/v1/json-ld/to-nquads': { body: statement },
  'POST /api/v1/lineage': { body: { ...lineageEvent, eventType: 'START' } },
  'POST /api/v1/lineage/batch': { body: [lineageEvent] },
  'POST /evidence/v1': {
    body: {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [
        {
          name: 'app.tar.gz',
          digest: { sha256: '5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03' },
        },
      ],
      predicateType: 'https://slsa.dev/provenance/v1',
      predicate: {
        buildDefinition: {
          buildType: 'https://example.com/build/v1',
          externalParameters: { target: 'release' },
          resolvedDependencies: [
            { uri: 'git+https://example.com/app', digest: { gitCommit: 'f'.repeat(40) } },
          ],
        },
        runDetails: { builder: { id: 'https://example.com/builder' } },
      },
    },
  },
  'PUT /graph/v1': { body: { graph_id: project, name: 'Credit scoring' } },
  'GET /graph/v1/{uuid}': { parameters: { uuid: project } },
  'GET /manifest/v1': { parameters: { graph_ids: project } },
  'POST /manifest/v1': {
    parameters: { name: 'Imported' },
    body: {
      version: '3',
      contexts: {},
      statements: { [`urn:cid:${statementId}`]: { '@id': `urn:cid:${statementId}`, ...statement } },
      blobs: { [clean]: btoa(cleanText) },
    },
  },
  'POST /gov/v1/cid/subject': { body: subject },
  'POST /gov/v1/cid/policy': { body: { policy, controls: [control] } },
  'POST /gov/v1/controls/declaration/{subject_cid}/{project_uuid}': {
    parameters: governed,
    body: declaration,
  },
  'POST /gov/v1/controls/review/{subject_cid}/{project_uuid}': {
    parameters: governed,
    body: {
      submittedAt: '2026-03-02T08:00:00Z',
      submittedBy: 'did:web:bob.example',
      declarationCid: jcsCid(declaration),
      decision: 'approved',
      comment: 'I repeated the evaluation.',
    },
  },
  'POST /gov/v1/identity/membership/{project_uuid}': {
    parameters: { project_uuid: project },
    body: { subjectDid: 'did:web:ada.example', role: ['evaluator'], expiryDate: '2099-12-31T12:00:00Z' },
  },
  'POST /gov/v1/policy/compliance/{project_uuid}': {
    parameters: { project_uuid: project },
    body: { subjectCid: jcsCid(subject), policyCid: jcsCid(policy), expiryDate: '2099-12-31' },
  },
  'POST /gov/v1/policy/manifest/{project_uuid}': {
    parameters: { project_uuid: project },
    body: { policyCids: [jcsCid(policy)], includeBlobs: true, includeContext: true },
  },
  'GET /gov/v1/status/{subject_cid}/{project_uuid}': { parameters: governed },
  'GET /gov/v1/status/{subject_cid}': { parameters: { subject_cid: jcsCid(subject) } },
  'PUT /dynamic-config/v1': { body: { blob_store_fetch_concurrency_limit: 64 } },
  'POST /credentials/v1/allocate': { body: unsigned },
  'POST /credentials/v1/revoke/{credentialId}': {
    parameters: { credentialId },
    body: {
      credentialStatus: {
        statusListCredential: 'http://127.0.0.1:3050/credentials/v1/status-lists/…',
        statusListIndex: '0',
      },
    },
  },
  'GET /credentials/v1/status': { parameters: { credential_id: credentialId } },
  'POST /credentials/v1/verify': { body: { credential: signed } },
  'PATCH /v1/users/{id}': { body: { role: 'admin' } },
  'POST /v1/agent-registration-tokens': { body: { agent_name: 'Build agent', agent_handle: 'build' } },
  'POST /v1/agents/{id}/revoke': { parameters: { id: agent }, body: { reason: 'Its key was in a log.' } },
  'POST /v1/agents/{id}/restore': { parameters: { id: agent }, body: { reason: 'It has a new key.' } },
  'PATCH /v1/agents/{id}/bindings/{binding_id}': {
    parameters: { id: agent },
    body: { state: 'ended', reason: 'The builder has a new owner.' },
  },
  'POST /v1/gateway/registrations': { body: { did: key, proof: 'eyJ…' } },
  'POST /v1/traces': { body: { resourceSpans: [] } },
  'POST /v1/gateway/audit-exchanges': {
    body: {
      records: [
        {
          ...occurred,
          source_id: 'exchange 1',
          project_urn: `urn:uuid:${project}`,
          duration_ms: 812,
          outcome: 'ok',
          model: 'model-1',
          request_body: { content_type: 'text/plain', base64: 'V2h5IGRpZCBpdCBmYWlsPw==' },
          response_body: { content_type: 'text/plain', base64: 'QSB0ZXN0IHRpbWVkIG91dC4=' },
        },
      ],
    },
  },
  'POST /v1/gateway/plugin-events': {
    body: {
      records: [
        {
          ...occurred,
          source_id: 'event 1',
          exchange_source_id: 'exchange 1',
          kind: 'tool-call',
          detail: { tool: 'search', hits: 3 },
        },
      ],
    },
  },
  'POST /v1/gateway/state-records': {
    body: {
      records: [
        {
          ...occurred,
          source_id: 'state 1',
          exchange_source_id: 'exchange 1',
          attestation: { content_type: 'application/json', base64: 'eyJ0ZW1wZXJhdHVyZSI6MH0=' },
        },
      ],
    },
  },
  'POST /v1/gateway/memberships': {
    body: {
      records: [
        {
          source_id: 'membership 1',
          project_uuid: project,
          agent_id: agent,
          subject_did: key,
          valid_from: '2026-01-01T00:00:00Z',
        },
      ],
    },
  },
  'POST /v1/gateway/project-bindings': {
    body: { records: [{ source_id: 'binding 1', project_uuid: project, kind: 'operator' }] },
  },
};
