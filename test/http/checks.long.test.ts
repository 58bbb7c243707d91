import { describe, expect, test } from 'vitest';
import { checkAnswer } from '../../src/contract/integrity/checks.ts';
import { ruleReasons } from '../../src/contract/words/verdicts.ts';
import { factTable, rootTable } from '../../src/domain/integrity/policies/fact-table.ts';
import { blobUrn } from '../builders/statements.ts';
import { checkedModels, reviewer } from './checked-model.ts';
import { newGraph } from './manifest-samples.ts';
import { putBlob, send, useService } from './service.ts';
import { type Json, signedCredential, signingKey } from './trusted-statements.ts';

const service = useService();
const { builder, put, document, signedModel } = checkedModels(service);

const rules = [
  { name: 'made by the builder', require: "made_by.exists(c, c.signed_by == 'builder')" },
  {
    name: 'training data was approved',
    for: "upstream.filter(a, a.kind == 'dataset')",
    require: "it.reviews.exists(r, r.decision == 'approved' && r.signed_by == 'reviewers')",
  },
];

function policyWith(some: readonly object[] = rules) {
  return {
    cairn: 'policy/1',
    name: 'release',
    signers: { builder: [builder.key.did], reviewers: [reviewer.key.did] },
    rules: some,
  };
}

async function check(subject: string, policy: unknown = policyWith(), more: Json = {}) {
  const { status, json, text } = await send(service, 'POST', '/checks/v1', { subject, policy, ...more });
  expect(status, text).toBe(200);
  return checkAnswer.parse(json);
}

describe('POST /checks/v1', () => {
  test('passes, and names the statements that decided', async () => {
    const { model, run, review } = await signedModel('passing');
    const approval = await review('approved');
    const answer = await check(model);
    expect(answer).toMatchObject({ result: 'pass', truncated: false });
    const [made, approved] = answer.verdicts[0]?.rules ?? [];
    expect(made).toMatchObject({ result: 'pass' });
    expect(made?.decided_by).toContain(run);
    expect(approved?.decided_by).toContain(approval);
    expect(approved?.things).toMatchObject({ count: 1 });
  });

  test('fails with what is missing', async () => {
    const { data, model } = await signedModel('unreviewed');
    const answer = await check(model);
    expect(answer).toMatchObject({ result: 'fail' });
    expect(answer.verdicts[0]?.rules[1]).toMatchObject({
      result: 'fail',
      missing: [{ fact: 'reviews', of: data }],
    });
  });

  test('shows the facts if it is asked to', async () => {
    const { data, model, run } = await signedModel('explained');
    const { verdicts } = await check(model, policyWith(), { explain: true });
    expect(verdicts[0]?.facts).toMatchObject({
      subject: model,
      upstream: [data],
      computations: [run],
      things: {
        artefacts: { [model]: { kind: 'model', made_by: [run] }, [data]: { kind: 'dataset' } },
        computations: { [run]: { command: 'train --lr 1', exit_code: 0, metrics: { accuracy: 0.93 } } },
      },
    });
  });

  test('answers as if it had read all facts, whatever the policy names', async () => {
    const { graph, data, model, review } = await signedModel('sparse');
    await review('approved');
    for (const thing of [data, model]) await put(graph, { data: thing });
    const said = await document({ name: 'another', kind: 'table' });
    const later = { subject: data, metadata: said, timestamp: '2099-01-01T00:00:00Z' };
    const unsigned = { ...builder.statement(), data: undefined, '@type': 'MetadataRegistration', ...later };
    await builder.put(unsigned, { graph_id: graph });
    const strangers = ['did:web:stranger.example'];
    const examples = [rootTable, ...Object.values(factTable)].flatMap((fields) =>
      Object.values(fields).map(({ example }) => example),
    );
    const conditions = [
      ...new Set(examples),
      "upstream.all(a, a.name == 'sparse.csv' && a.kind == 'dataset')",
      "upstream.exists(a, 'another' in a.names)",
      "made_by.all(c, c.inputs.all(i, i.name == 'sparse.csv'))",
      "!('builder' in {'of': upstream[0]}.of['sign' + 'ers'])",
      "!('builder' in {'of': upstream[0]}.of['s\\x69gners'])",
    ];
    const complete = policyWith([{ name: 'complete', require: 'complete' }]);
    await expect.poll(async () => (await check(model, complete)).result, { timeout: 20_000 }).toBe('pass');
    for (const require of conditions) {
      const things = /\bit\b/.test(require) ? { for: 'computations[0].signatures' } : {};
      const { signers, ...rest } = policyWith([{ name: 'condition', require, ...things }]);
      const policy = { ...rest, signers: { ...signers, owner: strangers, authority: strangers } };
      const [own, all] = [await check(model, policy), await check(model, policy, { explain: true })];
      expect([require, own.verdicts[0]?.rules]).toEqual([require, all.verdicts[0]?.rules]);
    }
  });

  test('does not count what was withdrawn', async () => {
    const { data, model, review, graph } = await signedModel('withdrawn');
    const approval = await review('approved');
    expect(await check(model)).toMatchObject({ result: 'pass' });
    await put(
      graph,
      { '@type': 'RetractionRegistration', subject: approval, reason: 'Too early.' },
      reviewer,
    );
    const refused = (await check(model)).verdicts[0]?.rules[1];
    expect(refused).toMatchObject({
      result: 'fail',
      withdrawn: [{ statement: approval, state: 'retracted', by: reviewer.key.did, reason: 'Too early.' }],
    });
    expect(refused && ruleReasons(refused).at(-1)).toMatch(
      /^bagb6\w+ was retracted by did:key:\w+ at 2026-\S+: Too early\.$/,
    );
    await review('approved');
    expect((await check(model)).verdicts[0]?.rules[1]).not.toHaveProperty('withdrawn');
    await review('rejected');
    const { verdicts } = await check(model);
    expect(verdicts[0]?.rules[1]).toMatchObject({ result: 'fail', things: { deciding: [data] } });
  });

  test('names the signature that was revoked, and the computation that was retracted', async () => {
    const { graph, data } = await signedModel('revoked');
    const { key } = builder;
    const model = blobUrn('revoked');
    const ends = { input: data, output: model, computation: blobUrn('train.py'), operatedBy: key.did };
    const fields = { ...builder.statement(), data: undefined, '@type': 'ComputationRegistration', ...ends };
    const { json: stored } = await builder.put(fields, { graph_id: graph });
    const run = `urn:cid:${stored.rdfc_cid}`;
    const context = ['https://www.w3.org/ns/credentials/v2'];
    const unsigned = { '@context': context, type: ['VerifiableCredential'], issuer: key.did };
    const { json } = await builder.allocate({ ...unsigned, credentialSubject: { id: run } });
    await builder.put(builder.registration(await signedCredential(run, json)), { graph_id: graph });
    const made = policyWith(rules.slice(0, 1));
    expect(await check(model, made)).toMatchObject({ result: 'pass' });
    await builder.revoke(json.id, json.credentialStatus[0]);
    const [revoked] = (await check(model, made)).verdicts[0]?.rules ?? [];
    expect(revoked).toMatchObject({
      result: 'fail',
      withdrawn: [{ statement: run, state: 'revoked', by: key.did }],
    });
    expect(revoked && ruleReasons(revoked).at(-1)).toMatch(
      /^The signature of did:key:\w+ on bagb6\w+ was revoked\.$/,
    );
    await put(graph, { '@type': 'RetractionRegistration', subject: run, reason: 'Stolen key.' });
    expect((await check(model, made)).verdicts[0]?.rules[0]).toMatchObject({
      result: 'fail',
      withdrawn: [{ statement: run, state: 'retracted', by: key.did, reason: 'Stolen key.' }],
    });
  });

  test('counts the last review of a reviewer, who may leave out a name', async () => {
    const { graph, model, data } = await signedModel('reconsidered');
    const { did: submittedBy } = reviewer.key;
    const review = async (timestamp: string, said: object) => {
      const fields = { '@type': 'GovernanceRegistration', subject: data, timestamp };
      await put(graph, { ...fields, document: await document(said) }, reviewer);
    };
    await review('2026-02-01T00:00:00Z', { decision: 'approved', submittedBy });
    expect(await check(model)).toMatchObject({ result: 'pass' });
    await review('2026-02-02T00:00:00Z', { decision: 'rejected' });
    expect(await check(model)).toMatchObject({ result: 'fail' });
  });

  test('counts no signature of others, however many there are', async () => {
    const { model, data, graph } = await signedModel('drowned');
    const said = await document({ decision: 'approved', comment: 'By strangers.' });
    const fields = { '@type': 'GovernanceRegistration', subject: data, document: said };
    const approval = await put(graph, fields, signingKey());
    for (let stranger = 0; stranger < 21; stranger += 1)
      await builder.put(builder.registration(await signedCredential(approval, {}, signingKey())));
    expect(await check(model)).toMatchObject({ result: 'fail' });
    await builder.put(builder.registration(await signedCredential(approval, {}, reviewer)));
    expect(await check(model)).toMatchObject({ result: 'pass' });
  });

  test('lets nobody describe a signed run in the name of its registrant', async () => {
    const { model, run, graph } = await signedModel('described');
    const rule = [{ name: 'accurate', require: 'made_by.all(c, c.metrics.accuracy > 0.9)' }];
    expect(await check(model, policyWith(rule))).toMatchObject({ result: 'pass' });
    const facts = { type: 'CairnRun', version: 1, name: 'train', metrics: { accuracy: 0.1 } };
    const statement = {
      ...builder.statement(),
      data: undefined,
      '@type': 'MetadataRegistration',
      subject: run,
    };
    await builder.put({ ...statement, metadata: await document(facts) }, { graph_id: graph });
    expect(await check(model, policyWith(rule))).toMatchObject({ result: 'pass' });
  });

  test('finds the subject by its name, its digest or its graph', async () => {
    const { model, graph } = await signedModel('found by name');
    for (const subject of ['found by name', 'Found By NAME', model, model.replace('urn:cid:', ''), graph])
      expect(await check(subject)).toMatchObject({ verdicts: [{ subject: model }] });
    await signedModel('found by name');
    await putBlob(service, 'found by name.bin');
    const { json } = await send(service, 'GET', `/search/v1?q=${model}`);
    expect(json.artefacts.items[0].id).toBe(model);
    const other = blobUrn('another thing');
    const said = await document({ name: 'found by name' });
    await put(graph, { '@type': 'MetadataRegistration', subject: other, metadata: said });
    const body = { subject: 'found by name', policy: policyWith() };
    const { status, json: refusal } = await send(service, 'POST', '/checks/v1', body);
    expect(status).toBe(409);
    expect(refusal.error).toContain(model);
    expect(refusal.error).toContain(other);
  });

  test('takes a policy as text, as JSON, or by the CID under which it is stored', async () => {
    const { model } = await signedModel('policy forms');
    const text = `cairn: policy/1\nname: one line\nrules: [{ name: any, require: "size(made_by) > 0" }]\n`;
    const stored = await putBlob(service, text);
    const asJson = await document(policyWith());
    for (const policy of [text, stored.json.cid, asJson, policyWith()])
      expect((await check(model, policy)).verdicts).toHaveLength(1);
    const unknown = await send(service, 'POST', '/checks/v1', { subject: model, policy: blobUrn('none') });
    expect(unknown.status).toBe(404);
  });

  test('refuses a policy that cannot be used, with the place and what is meant', async () => {
    const policy = 'cairn: policy/1\nname: x\nrules:\n  - name: a\n    require: subject.nmae == "x"\n';
    const { status, json } = await send(service, 'POST', '/checks/v1', { subject: blobUrn('x'), policy });
    expect(status).toBe(400);
    expect(json.error).toContain('Line 5');
    expect(json.error).toContain('"name"');
  });

  test('refuses a key of a log that is none, before anything is read', async () => {
    const policy = { ...policyWith(), log: { key: 'nonsense' } };
    const { status, json } = await send(service, 'POST', '/checks/v1', { subject: blobUrn('x'), policy });
    expect(status).toBe(400);
    expect(json.error).toContain('log.key must be a verifier key');
  });

  test('reads all of what was made in very many steps, as a table that each run appends to', async () => {
    const [person, program] = [builder.key.did, blobUrn('append.py')];
    const versions = Array.from({ length: 151 }, (_, at) => blobUrn(`version ${at}`));
    const statements = versions.slice(1).map((output, at) => {
      const ends = { input: versions[at], output, computation: program, operatedBy: person };
      return { ...builder.statement(), data: undefined, '@type': 'ComputationRegistration', ...ends };
    });
    const body = { statements, generate_id: true };
    expect((await send(service, 'PUT', '/statements/v1/batch', body)).status).toBe(201);
    const newest = versions.at(-1) ?? '';
    const rules = [{ name: 'all', require: 'size(computations) == 150 && !upstream.all(a, a.id == "")' }];
    expect(await check(newest, policyWith(rules))).toMatchObject({ result: 'pass' });
    const { status, text } = await send(service, 'GET', `/lineage/v1/${newest}/provenance?format=prov`);
    expect([status, text.includes(versions[0]?.slice('urn:cid:'.length) ?? '?')]).toEqual([200, true]);
  });

  test('reads all that is said of a thing that is scanned every night', async () => {
    const [image, person] = [blobUrn('scanned'), builder.key.did];
    const statements: Json[] = [];
    for (let night = 0; night < 365; night += 1) {
      const { json } = await send(service, 'PUT', '/store/v1/jcs', { name: `scan ${night}` });
      const said = { subject: image, metadata: `urn:cid:${json.cid}`, registeredBy: person };
      statements.push({ ...builder.statement(), data: undefined, '@type': 'MetadataRegistration', ...said });
    }
    const body = { statements, generate_id: true };
    expect((await send(service, 'PUT', '/statements/v1/batch', body)).status).toBe(201);
    const rules = [{ name: 'all', require: 'size(names) == 365' }];
    expect(await check(image, policyWith(rules))).toMatchObject({ result: 'pass' });
  });

  test('says that it stopped at an ancestry that is too large, and passes nothing about all of it', async () => {
    const graph = await newGraph(service);
    const inputs = Array.from({ length: 10_500 }, (_, at) => blobUrn(`far ${at}`));
    const [model, person] = [blobUrn('of very many'), builder.key.did];
    const statements = Array.from({ length: 21 }, (_, at) => {
      const input = [blobUrn(`of very many ${at}`), ...inputs.slice(at * 500, (at + 1) * 500)];
      const output = at === 0 ? model : blobUrn(`of very many ${at - 1}`);
      const ends = { input, output, computation: blobUrn('train.py'), operatedBy: person };
      return { ...builder.statement(), data: undefined, '@type': 'ComputationRegistration', ...ends };
    });
    const body = { statements, generate_id: true, graph_id: graph };
    expect((await send(service, 'PUT', '/statements/v1/batch', body)).status).toBe(201);
    const require = "a.id != ''";
    const all = await check(model, policyWith([{ name: 'all', require: `upstream.all(a, ${require})` }]));
    expect(all.verdicts[0]?.rules[0]).toMatchObject({
      result: 'cannot_tell',
      doubts: [{ code: 'cut', fact: 'upstream', of: model }],
    });
    const some = await check(
      model,
      policyWith([{ name: 'some', require: `upstream.exists(a, ${require})` }]),
    );
    expect(some).toMatchObject({ result: 'pass' });
    // Who made the subject is known, however far its history goes back.
    const near = await check(model, policyWith([{ name: 'near', require: "made_by.all(c, c.id != '')" }]));
    expect(near).toMatchObject({ result: 'pass' });
  });

  test('passes nothing about all that an agent ran, because only what is behind the subject is read', async () => {
    await signedModel('by an agent');
    const idle = { name: 'idle', require: 'agents.all(a, size(a.operated) == 0)' };
    const answer = await check(builder.key.did, policyWith([idle]));
    expect(answer.verdicts[0]?.rules[0]).toMatchObject({
      result: 'cannot_tell',
      doubts: [{ code: 'cut', fact: 'operated', of: builder.key.did }],
    });
  });

  test('proves nothing complete about a file of which only the bytes are there', async () => {
    await putBlob(service, 'bytes alone');
    const isNoModel = { name: 'no model', require: "complete && size >= 0 && !('model' in kinds)" };
    const { verdicts } = await check(blobUrn('bytes alone'), policyWith([isNoModel]));
    expect(verdicts[0]?.rules[0]).toMatchObject({ result: 'fail', missing: [{ fact: 'complete' }] });
  });

  test('says that nobody knows the subject', async () => {
    for (const subject of ['no such thing', blobUrn('never stored')]) {
      const { status } = await send(service, 'POST', '/checks/v1', { subject, policy: policyWith() });
      expect(status).toBe(404);
    }
  });
});
