import { randomUUID } from 'node:crypto';
import type { AuditRecord } from '../../src/domain/audit-log/audit-log.ts';
import { auditExchanges, stateRecords } from '../../src/domain/control-plane/gateway/runtime-records.ts';
import { SealedPack } from '../../src/domain/control-plane/gateway/sealed-contents.ts';
import { indexBlobs, stateBlobs } from '../../src/domain/control-plane/gateway/state-blobs.ts';
import type { Session } from '../../src/domain/control-plane/sessions.ts';
import type { User } from '../../src/domain/control-plane/users.ts';
import { ContextKeeper } from '../../src/domain/integrity/contexts/contexts.ts';
import { ContextWorld, contextDocument } from '../../src/domain/integrity/contexts/world.ts';
import { nothingYet } from '../../src/domain/integrity/exports/export-records.ts';
import { StatementIdentifier } from '../../src/domain/integrity/identification/identify.ts';
import { type Cid, cidOf, codecs, makeCid } from '../../src/domain/integrity/identifiers/cid.ts';
import { blake3Digest, hasher } from '../../src/domain/integrity/identifiers/hashing.ts';
import { statementKindNames } from '../../src/domain/integrity/kinds/registry.ts';
import type { BlobStore, Graph, StatementRow } from '../../src/domain/integrity/ports.ts';
import { keepRetractions } from '../../src/domain/integrity/retractions/keep.ts';
import { retractions } from '../../src/domain/integrity/retractions/retraction-records.ts';
import { signatures } from '../../src/domain/integrity/signatures/signatures.ts';
import type { Store } from '../../src/storage/open.ts';
import { newExchange, newState, uuidV7 } from '../builders/exchanges.ts';
import { newGraph } from '../builders/graphs.ts';
import { blobUrn, did, identifyOptions, type Json, ownStatement } from '../builders/statements.ts';
import { auditRecord } from './audit-records.ts';
import { jobsOf, limitsOf, nounsOf } from './nouns.ts';
import { newUser } from './users.ts';

export type FillableStore = Omit<Store, 'place' | 'ready' | typeof Symbol.asyncDispose>;

/** What a filled store has, by the names that damage is done to. */
export interface Filled {
  readonly root: Graph;
  readonly child: Graph;
  /** It came with a manifest that had a context and an anchor of its own. */
  readonly imported: Graph;
  readonly blob: Cid;
  readonly sha256Blob: Cid;
  /** Trusted; of the child, and its second form of the root as well. */
  readonly statements: readonly StatementRow[];
  /** Read with the context of the imported graph. */
  readonly unverified: StatementRow;
  /** The document of that context. */
  readonly context: Cid;
  readonly user: User;
  readonly session: Session;
  readonly auditRecord: AuditRecord;
  readonly doneJob: string;
  readonly resultName: string;
  readonly exchangeKey: string;
  /** The pack of its request body. */
  readonly packName: string;
  readonly stateId: string;
  /** The pack of its attestation, and of one child at the end. */
  readonly statePackName: string;
}

const url = 'https://contexts.example/unverified';
const document = JSON.stringify({
  '@context': { id: '@id', type: '@type', made: { '@id': 'https://terms.example/made', '@type': '@id' } },
});
const owner = { issuer: 'https://issuer.example/', subject: 'operator' };
const exportOfEverything = {
  graphIds: null,
  includeContext: true,
  includeBlobs: true,
  form: 'json',
  projects: null,
};

/** Fills a store with some of everything. */
export async function fill(store: FillableStore): Promise<Filled> {
  const root = newGraph({ name: 'root' });
  const child = newGraph({ name: 'child', parentId: root.graphId, projectId: root.projectId });
  for (const graph of [root, child, newGraph({ name: 'empty' })]) await store.graphs.add(graph);
  const world = ContextWorld.bundled();
  const identifier = new StatementIdentifier(world);
  const statements = await Promise.all(samples().map((one) => identified(identifier, one)));
  for (const row of statements) await keep(store.blobs, world, row.contexts);
  await store.statements.putMany(statements.slice(0, 20), child.graphId, 'ada');
  await store.statements.putMany(statements.slice(10), root.graphId, 'bob');
  await store.statements.putMany(statements.slice(0, 3), null);
  await keepRetractions(retracting(store), statements.slice(0, 20), 'ada');
  await putBlob(store.blobs, Buffer.from(namedDocument), 'blake3');
  const imported = newGraph({ name: 'imported', parentId: root.graphId, projectId: root.projectId });
  const { unverified, context } = await importGraph(store, imported);
  await limitsOf(store).change({ blobStoreFetchConcurrency: 3, blobStoreWriteConcurrency: 4 });
  return {
    root,
    child,
    imported,
    blob: await putBlob(store.blobs, Buffer.alloc(1_500_000, 'blob'), 'blake3'),
    sha256Blob: await putBlob(store.blobs, Buffer.from('hashed in another way'), 'sha2-256'),
    statements,
    unverified,
    context,
    ...(await addPeople(store)),
    ...(await addJobs(store)),
    ...(await addExchange(store)),
  };
}

/** What keeps retractions beside the statements of a store. */
export const retracting = (store: Pick<FillableStore, 'of'>) => ({
  retractions: store.of(retractions),
  signatures: store.of(signatures),
  now: () => new Date(1),
});

const namedDocument = '{"name": "Training data"}';

/** Statements of every kind, two forms of one, and one that gives a name. */
function samples(): Json[] {
  const kinds = statementKindNames;
  const hub = blobUrn('hub');
  const data = Array.from({ length: 20 }, (_, at) => {
    const timestamp = `2026-02-${String(at + 1).padStart(2, '0')}T00:00:00Z`;
    return ownStatement('DataRegistration', { data: [hub, blobUrn(`data ${at}`)], timestamp });
  });
  const twice = ownStatement('DataRegistration', { data: [blobUrn('data 3'), hub] });
  const other = ownStatement('DataRegistration', { data: [hub, blobUrn('data 3')] });
  const subject = blobUrn('hub');
  const naming = ownStatement('MetadataRegistration', { subject, metadata: blobUrn(namedDocument) });
  return [...kinds.map((kind) => ownStatement(kind)), ...data, twice, other, naming];
}

export async function identified(identifier: StatementIdentifier, statement: Json) {
  const one = await identifier.identify(Buffer.from(JSON.stringify(statement)), identifyOptions);
  return { ...one, jcs: Buffer.from(one.jcs), contextSet: one.contexts.cid, isTrusted: true };
}

export async function keep(
  blobs: BlobStore,
  world: ContextWorld,
  set: Awaited<ReturnType<typeof identified>>['contexts'],
): Promise<void> {
  await new ContextKeeper(blobs, world).keep(set);
}

async function importGraph(store: FillableStore, graph: Graph) {
  const world = new ContextWorld([contextDocument(url, document)]);
  const statement = { '@context': url, id: did, type: 'https://terms.example/Thing', made: blobUrn('thing') };
  const unverified = { ...(await identified(new StatementIdentifier(world), statement)), isTrusted: false };
  await keep(store.blobs, world, unverified.contexts);
  const anchor = await putBlob(store.blobs, Buffer.from('{"published": true}'), 'blake3');
  const context = cidOf(codecs.raw, document);
  const coming = await store.graphImports.begin(graph.projectId);
  await coming.put([unverified]);
  await coming.publish(graph, { contexts: [{ url, cid: context.text }], anchors: [anchor.text] });
  return { unverified, context };
}

export async function putBlob(
  blobs: BlobStore,
  bytes: Uint8Array,
  multihash: 'blake3' | 'sha2-256',
): Promise<Cid> {
  const hash = hasher(multihash);
  hash.update(bytes);
  const cid = makeCid(codecs.raw, hash.digest(), multihash);
  const staged = await blobs.stage();
  await staged.write(bytes);
  await staged.commit(cid);
  return cid;
}

async function addPeople(store: FillableStore) {
  const { users, sessions, auditLog } = nounsOf(store);
  const user = newUser({ role: 'admin', roleSource: 'bootstrap', bootstrapEmail: 'ada@example.com' });
  const nobody = newUser({ email: null, emailVerified: false, name: null, disabled: true });
  for (const one of [user, nobody]) await users.keep(one);
  const { id: userId, issuer, subject } = user;
  const times = { createdAt: 1, lastSeenAt: 2, expiresAt: 2 ** 42 };
  const session = {
    key: randomUUID(),
    userId,
    issuer,
    subject,
    secretId: null,
    sealedTokens: null,
    refreshingUntil: null,
    ...times,
  };
  await sessions.add(session);
  const record = auditRecord();
  const refused = auditRecord({ actor: null, outcome: 'refused', code: 'unauthorized', details: null });
  await auditLog.put([record, refused, auditRecord({ at: 20, target: null, address: null })]);
  return { user, session, auditRecord: record };
}

async function addJobs(store: FillableStore) {
  const { exportResults } = store;
  const jobs = jobsOf(store);
  const [done, failed, waiting] = [randomUUID(), randomUUID(), randomUUID()];
  for (const id of [done, failed, waiting])
    await jobs.add({ id, kind: 'manifest-export', owner, request: exportOfEverything, createdAt: 1 });
  const claim = { runner: 'r', now: 2, silentSince: 0 };
  const bytes = Buffer.from('{"version": 3}');
  const resultName = `${done}.r`;
  const staged = await exportResults.stage();
  await staged.write(bytes);
  await staged.commit(resultName);
  const result = { name: resultName, digest: Buffer.from(blake3Digest(bytes)).toString('hex') };
  const progress = { ...nothingYet, blobs: 0, missingBlobs: 0, bytes: bytes.length, result };
  const end = { finishedAt: 3, expiresAt: 2 ** 42 };
  await jobs.claim(done, claim);
  await jobs.finish(done, { runner: 'r', outcome: { state: 'done', progress, ...end } });
  const failure = { code: 'internal', message: 'It has failed.' } as const;
  await jobs.claim(failed, claim);
  await jobs.finish(failed, { runner: 'r', outcome: { state: 'failed', failure, ...end } });
  return { doneJob: done, resultName };
}

async function addExchange(store: FillableStore) {
  const bytes = Buffer.from('{"prompt": "hello"}');
  const pack = new SealedPack();
  const part = pack.add(bytes, cidOf(codecs.raw, bytes));
  const packName = await pack.store(store.sealedContents, uuidV7(Date.now()));
  const requestBody = { ...part, name: packName, contentType: 'application/json' };
  const exchange = newExchange({ requestBody, pack: packName });
  await store.of(auditExchanges).insert([exchange]);
  const blobs = new SealedPack();
  const attested = Buffer.from('{"state": "running"}');
  const attestation = blobs.add(attested, cidOf(codecs.raw, attested));
  const child = blobs.add(bytes, cidOf(codecs.raw, bytes));
  const statePackName = await blobs.store(store.sealedContents, uuidV7(Date.now()));
  const state = newState(statePackName, { attestation, child });
  await store.of(stateRecords).insert([state]);
  await indexBlobs(store.of(stateBlobs), [state]);
  return { packName, exchangeKey: exchange.exchangeKey, statePackName, stateId: state.id };
}

/** What the store answers to questions that its indexes serve. */
export async function answers(store: FillableStore, { root, statements }: Filled) {
  const { statementIndex, graphs } = store;
  const { users, auditLog } = nounsOf(store);
  const scope = { graphId: null, visibility: { projects: 'all' } } as const;
  const page = { after: null, limit: 1_000 };
  const everything = { kind: null, subject: null, registeredBy: null, from: null, until: null };
  const [from, until] = [Date.parse('2026-02-05'), Date.parse('2026-02-10')];
  const searches = [
    everything,
    { ...everything, kind: 'DataRegistration' },
    { ...everything, registeredBy: did },
    { ...everything, from, until },
  ];
  const names = ({ jcsCid, graphIds }: { jcsCid: Cid; graphIds: readonly string[] }) => [
    jcsCid.text,
    ...graphIds,
  ];
  const found = [];
  for (const filter of searches)
    found.push((await statementIndex.search(filter, page, scope)).statements.map(names));
  const { references } = await statementIndex.references([blobUrn('hub')], page, scope);
  const children = await graphs.children(root.graphId, page, scope.visibility);
  const anybody = { email: null, role: null, disabled: null };
  const anything = { actor: null, action: null, target: null, from: null, until: null };
  return {
    people: await users.list(anybody, page),
    recorded: await auditLog.list(anything, page),
    found,
    references: references.map(({ role, statement }) => [role, ...names(statement)]),
    children: children.graphs,
    counts: await graphs.statementCounts([root.graphId, null], 1_000),
    registrars: await Promise.all(statements.map(({ jcsCid }) => store.statements.registrarOf(jcsCid))),
    names: await store.names.of([blobUrn('hub')], scope),
  };
}
