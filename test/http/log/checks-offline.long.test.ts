import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { checkAnswer, checkJson } from '../../../src/contract/integrity/checks.ts';
import { jcs } from '../../../src/domain/integrity/identification/jcs.ts';
import { cidOf, cidUrn, codecs, makeCid } from '../../../src/domain/integrity/identifiers/cid.ts';
import { hasher } from '../../../src/domain/integrity/identifiers/hashing.ts';
import { checkManifest } from '../../../src/domain/integrity/policies/check-manifest.ts';
import { policyOf } from '../../../src/domain/integrity/policies/read-policy.ts';
import { reportOnManifest } from '../../../src/domain/integrity/report/manifest.ts';
import { inMemory } from '../../../src/domain/json/random-access.ts';
import { noWitnesses } from '../../../src/domain/log/notes/policy.ts';
import { EvidencePool } from '../../../workers/evidence-pool.ts';
import { signatureChecks } from '../../builders/signatures.ts';
import { usePool } from '../../builders/statement-pool.ts';
import { blobUrn } from '../../builders/statements.ts';
import { checkedModels, reviewer } from '../checked-model.ts';
import { carType, everything, exportBytes, newGraph } from '../manifest-samples.ts';
import { putBlob, send, useService } from '../service.ts';

const service = useService();
const pool = usePool();
const { builder, put, document, signedModel } = checkedModels(service);

async function policyWith(rules: readonly object[]) {
  const { text } = await send(service, 'GET', '/log/v1/key');
  const signers = { builder: [builder.key.did], reviewers: [reviewer.key.did] };
  return { cairn: 'policy/1', name: 'release', signers, log: { key: text.trim().split('\n')[0] }, rules };
}

const rule = (require: string, more: object = {}) => ({ name: require.slice(0, 90), require, ...more });

const rules = [
  rule("made_by.exists(c, c.signed_by == 'builder')"),
  rule("it.reviews.exists(r, r.decision == 'approved' && r.signed_by == 'reviewers')", {
    for: "upstream.filter(a, a.kind == 'dataset')",
  }),
  rule("made_by.all(c, c.metrics.accuracy > 0.9 && c.command.startsWith('train'))"),
  rule('made_by.all(c, c.log.index >= 0) && complete'),
  rule("agents.exists(a, size(a.operated) > 0) && subject.name != ''"),
];
const others = [
  rule("made_by.exists(c, c.signed_by == 'reviewers')"),
  rule('components.all(c, c.name != "left-pad")'),
  rule("subject.reviews.exists(r, r.decision == 'approved')"),
  rule('subject.size < 10'),
];

const verifying = async () => ({
  ...pool,
  maxStatementBytes: 1 << 20,
  signatures: await signatureChecks(pool.identifier),
  logs: { logs: [], policy: noWitnesses },
  now: () => new Date(),
});

/** What a report says that certificates have lost. */
async function lostOffline(manifest: object, subject: string) {
  const file = inMemory(Buffer.from(JSON.stringify(manifest)));
  const about = { source: { kind: 'service', url: '' }, subject } as const;
  const { governance } = await reportOnManifest(await verifying(), file, 'json', about);
  return governance.flatMap(({ kind, lost }) => (kind === 'certificate' ? [lost] : []));
}

async function offline(
  bytes: Uint8Array,
  policy: object,
  subject: string | undefined,
  form: 'json' | 'car' = 'json',
) {
  const read = policyOf(policy);
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  await using evidenceReader = new EvidencePool(64, 60_000, () => {});
  const ports = { ...(await verifying()), evidenceReader, serviceDids: new Set<string>() };
  const request = { subject, policy: read.policy, explain: false };
  const { check } = await checkManifest(ports, inMemory(bytes), form, request);
  return checkJson(check);
}

async function online(policy: object, subject: string, graph_id?: string) {
  const { json, text, status } = await send(service, 'POST', '/checks/v1', { subject, policy, graph_id });
  expect(status, text).toBe(200);
  return checkAnswer.parse(json);
}

function buildBy(builder: string, accuracy: number) {
  return { type: 'CairnRun', version: 1, metrics: { accuracy }, metadata: { build_type: 'make', builder } };
}

/** A bill of materials with a component and its vulnerability. */
function bill(name: string, severity: string) {
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component: { type: 'application', name: 'app', 'bom-ref': 'app' } },
    components: [{ type: 'library', name, 'bom-ref': name }],
    vulnerabilities: [{ id: `CVE-${name}`, ratings: [{ severity }], affects: [{ ref: name }] }],
  };
}

const complete = async (graph: string, type?: string) =>
  await exportBytes(service, `graph_ids=${graph}&${everything}&include_proofs=true`, type);

describe('a manifest', () => {
  test('is judged as the service that exported it judges', async () => {
    const { graph, model, review } = await signedModel('judged twice');
    for (const decision of ['approved', 'rejected']) {
      await review(decision);
      const policy = await policyWith([...rules, ...others]);
      const [json, car] = [await complete(graph), await complete(graph, carType)];
      const answers = [
        await online(policy, model, graph),
        await offline(json, policy, model),
        await offline(json, policy, undefined),
        await offline(car, policy, model, 'car'),
      ].map(({ checked_at: _, ...answer }) => answer);
      for (const answer of answers) expect(answer).toEqual(answers[0]);
      const results = answers[0]?.verdicts[0]?.rules.map(({ result }) => result);
      expect(results?.slice(0, rules.length)).toEqual(
        rules.map((_, at) => (at === 1 && decision === 'rejected' ? 'fail' : 'pass')),
      );
      expect(results?.slice(rules.length)).toEqual(['fail', 'cannot_tell', 'fail', 'cannot_tell']);
    }
  });

  test('tells that something was withdrawn on which a certificate rests, as the service does', async () => {
    const { graph, model, review } = await signedModel('certified and withdrawn');
    const approval = await review('approved');
    const project = randomUUID();
    const body = { subject: model, policy: await policyWith(rules.slice(1, 2)), expiryDate: '2099-12-31' };
    const { json } = await send(service, 'POST', `/checks/v1/certificate/${project}`, body);
    expect(json.credential).not.toBeNull();
    const said = { '@type': 'RetractionRegistration', subject: approval, reason: 'No.' };
    const retraction = await put(graph, said, reviewer);
    const policy = await policyWith([rule("certificates.exists(c, c.standing != 'unsupported')")]);
    const bytes = await exportBytes(service, `graph_ids=${graph}&graph_ids=${project}&${everything}`);
    expect((await online(policy, model)).result).toBe('fail');
    expect((await offline(bytes, policy, model)).result).toBe('fail');
    const claimed = JSON.parse(Buffer.from(bytes).toString());
    expect(await lostOffline(claimed, model)).toEqual([{ statement: approval, state: 'retracted' }]);
    for (const [id, statement] of Object.entries(claimed.statements))
      if (JSON.stringify(statement).includes(`"credentialSubject":{"id":"${retraction}"`))
        delete claimed.statements[id];
    expect((await offline(Buffer.from(JSON.stringify(claimed)), policy, model)).result).toBe('cannot_tell');
    const lacking = JSON.parse(Buffer.from(bytes).toString());
    for (const [cid, blob] of Object.entries<string>(lacking.blobs))
      if (Buffer.from(blob, 'base64').includes('"CairnCheck"')) delete lacking.blobs[cid];
    expect(await lostOffline(lacking, model)).toEqual(['unknown']);
    expect((await offline(Buffer.from(JSON.stringify(lacking)), policy, model)).result).toBe('cannot_tell');
  });

  test('passes nothing that rests on what the service has withdrawn without a signature', async () => {
    const { graph, model, run, review } = await signedModel('withdrawn by its registrar');
    const approval = await review('approved');
    const withdrawn = [
      [approval, reviewer.key.did, rules[1]],
      [run, builder.key.did, rules[0]],
    ] as const;
    for (const [subject, registeredBy, one] of withdrawn) {
      const policy = await policyWith([one as object]);
      expect((await offline(await complete(graph), policy, model)).result).toBe('pass');
      const retraction = { '@type': 'RetractionRegistration', subject, registeredBy, reason: 'No.' };
      await builder.put({ ...builder.statement(), data: undefined, ...retraction }, { graph_id: graph });
      expect((await online(policy, model, graph)).result).toBe('fail');
      const { result, verdicts } = await offline(await complete(graph), policy, model);
      expect(result).toBe('cannot_tell');
      expect(verdicts[0]?.rules[0]?.doubts).toEqual([{ code: 'disputed', of: subject }]);
    }
  });

  test('passes nothing without a piece that the pass rests on', async () => {
    const { graph, model, review } = await signedModel('taken apart');
    await review('approved');
    for (const one of rules) {
      const policy = await policyWith([one]);
      const isLogged = one.require.includes('log');
      const bytes = isLogged
        ? await complete(graph)
        : await exportBytes(service, `graph_ids=${graph}&${everything}`);
      const whole = await offline(bytes, policy, model);
      expect(whole.result, one.require).toBe('pass');
      const pieces = whole.verdicts[0]?.rules[0]?.decided_by ?? [];
      expect(pieces.length, one.require).toBeGreaterThan(0);
      for (const piece of pieces)
        for (const without of manifestsWithout(bytes, piece)) {
          const cut = await offline(without, policy, model).catch(() => undefined);
          expect(cut?.result ?? 'gone', `${one.require} without ${piece}`).not.toBe('pass');
        }
    }
  });

  test('passes nothing because a document is left out that says otherwise', async () => {
    const { graph, data, model, run } = await signedModel('described twice');
    const describe = async (subject: string, said: object) => {
      const metadata = await document(said);
      const timestamp = '2026-12-01T00:00:00Z';
      await put(graph, { '@type': 'MetadataRegistration', subject, metadata, timestamp });
      return metadata.replace('urn:cid:', '');
    };
    const restricted = await describe(data, { kind: 'restricted', purpose: 'none' });
    const ends = { input: data, output: model, computation: blobUrn('build.py') };
    const build = await put(graph, { '@type': 'ComputationRegistration', ...ends });
    const [bad, good] = [buildBy('stranger', 0.1), buildBy('builder', 0.95)];
    const inaccurate = await describe(run, bad);
    await describe(build, good);
    await describe(model, bill('harmless', 'low'));
    const critical = await describe(model, bill('leaky', 'critical'));
    const cases = [
      ["upstream.all(a, a.kind != 'restricted')", restricted],
      ["upstream.all(a, !('restricted' in a.kinds))", restricted],
      ['made_by.all(c, c.metrics.accuracy > 0.9)', inaccurate],
      ["provenance.all(p, p.builder != 'stranger')", inaccurate],
      ['upstream.all(a, !has(a.metadata.purpose))', restricted],
      ["vulnerabilities.all(v, v.severity != 'critical')", critical],
      ["components.all(c, c.name != 'leaky')", critical],
    ] as const;
    const bytes = await complete(graph);
    const still = rule("upstream.exists(a, 'dataset' in a.kinds)");
    const policy = await policyWith([...cases.map(([require]) => rule(require)), still]);
    const whole = await offline(bytes, policy, model);
    const results = whole.verdicts[0]?.rules.map(({ result }) => result);
    expect(results).toEqual([...cases.map(() => 'fail'), 'pass']);
    for (const [at, [require, document]] of cases.entries()) {
      const manifest = JSON.parse(Buffer.from(bytes).toString());
      expect(Reflect.deleteProperty(manifest.blobs, document)).toBe(true);
      const { verdicts } = await offline(Buffer.from(JSON.stringify(manifest)), policy, model);
      expect(verdicts[0]?.rules[at], require).toMatchObject({ result: 'cannot_tell' });
      expect(verdicts[0]?.rules.at(-1)).toMatchObject({ result: 'pass' });
    }
  });
  test('cannot tell without the bytes of a thing whose size is demanded, because evidence may name them by another hash', async () => {
    const graph = await newGraph(service);
    const text = 'weights that two hashes name';
    const { json: stored } = await putBlob(service, text);
    const hash = hasher('sha2-256');
    hash.update(Buffer.from(text));
    const sha256 = cidUrn(makeCid(codecs.raw, hash.digest(), 'sha2-256'));
    const subject = `urn:cid:${stored.cid}`;
    for (const [name, kind] of [
      [sha256, 'model'],
      [subject, 'dataset'],
    ] as const)
      await put(graph, {
        '@type': 'MetadataRegistration',
        subject: name,
        metadata: await document({ kind }),
      });
    const policy = await policyWith([rule("complete && size >= 0 && !('model' in kinds)")]);
    const whole = await complete(graph);
    expect((await offline(whole, policy, subject)).result).toBe('fail');
    const manifest = JSON.parse(whole.toString());
    expect(Reflect.deleteProperty(manifest.blobs, stored.cid)).toBe(true);
    expect((await offline(Buffer.from(JSON.stringify(manifest)), policy, subject)).result).toBe(
      'cannot_tell',
    );
  });
});

/** The manifest without a statement, and without each document that the statement names. */
function manifestsWithout(bytes: Uint8Array, piece: string): Uint8Array[] {
  const read = () => JSON.parse(Buffer.from(bytes).toString());
  const { statements } = read();
  const isPiece = (id: string) => id === piece || cidUrn(cidOf(codecs.jcs, jcs(statements[id]))) === piece;
  const key = Object.keys(statements).find(isPiece);
  if (key === undefined) throw new Error(`The manifest has no ${piece}.`);
  const { metadata, document } = statements[key];
  const documents = [metadata, document].filter((one) => one !== undefined);
  const changes = [
    (manifest: { statements: object }) => Reflect.deleteProperty(manifest.statements, key),
    ...documents.map(
      (one) => (manifest: { blobs: object }) =>
        expect(Reflect.deleteProperty(manifest.blobs, one.replace('urn:cid:', ''))).toBe(true),
    ),
  ];
  return changes.map((change) => {
    const manifest = read();
    change(manifest);
    return Buffer.from(JSON.stringify(manifest));
  });
}
