import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parseCid } from '../../../src/domain/integrity/identifiers/cid.ts';
import { contextV2 } from '../../builders/credentials.ts';
import { blobUrn } from '../../builders/statements.ts';
import { changeBlob } from '../../storage/embedded/stored-blobs.ts';
import { checkedModels, reviewer } from '../checked-model.ts';
import { putStatements } from '../manifest-samples.ts';
import { send, useService } from '../service.ts';
import { signedCredential } from '../trusted-statements.ts';
import { blobText, expectRefusal, newSubject, post, posted, submission } from './governance.ts';

const service = useService();
const { builder, put, document, signedModel } = checkedModels(service);
const unsigned = () => ({ ...builder.statement(), data: undefined, registeredBy: builder.key.did });
const signers = { builder: [builder.key.did], reviewers: [reviewer.key.did] };
const expiryDate = '2099-12-31';

const approved = {
  for: "upstream.filter(a, a.kind == 'dataset')",
  require: "it.reviews.exists(r, r.decision == 'approved' && r.signed_by == 'reviewers')",
};
const policy = { cairn: 'policy/1', name: 'release', signers, rules: [{ name: 'approved', ...approved }] };

async function certify(subject: string, project: string, more: object = {}) {
  const body = { subject, policy, expiryDate, ...more };
  const { status, json, text } = await send(service, 'POST', `/checks/v1/certificate/${project}`, body);
  expect(status, text).toBe(200);
  return json;
}

const reportWords = async (subject: string) =>
  (await send(service, 'GET', `/report/v1/${subject}`)).text
    .replaceAll(/<style>.*?<\/style>|<[^>]*>/gs, '')
    .replaceAll(/\s+/g, ' ');

const statusOf = async (subject: string, project: string) =>
  (await send(service, 'GET', `/gov/v1/status/${encodeURIComponent(subject)}/${project}`)).json;

describe('a certificate of a check', () => {
  test('says which rules, policy and size of the log it rests on', async () => {
    const { model, review } = await signedModel('certified');
    const approval = await review('approved');
    const { result, policy: policyCid, credential } = await certify(model, randomUUID());
    expect(result).toBe('pass');
    const signed = JSON.parse(await blobText(service, credential.sourceCid));
    expect(signed).toMatchObject({
      type: ['VerifiableCredential', 'PolicyComplianceCredential'],
      credentialSubject: { id: model, policy: `urn:cid:${policyCid}` },
    });
    const outcome = JSON.parse(await blobText(service, signed.relatedResource[0].id));
    expect(outcome).toMatchObject({ type: 'CairnCheck', version: 1, subject: model, result: 'pass' });
    expect(outcome.rules[0].decided_by).toContain(approval);
    expect(outcome.log.size).toBeGreaterThan(0);
    expect(JSON.parse(await blobText(service, policyCid))).toEqual(policy);
    const verified = await send(service, 'POST', '/credentials/v1/verify', { credential: signed });
    expect(verified.json).toMatchObject({ verified: true });
  });

  test('is not issued if the check does not pass', async () => {
    const { model } = await signedModel('not certified');
    expect(await certify(model, randomUUID())).toMatchObject({ result: 'fail', credential: null });
  });

  test('ends with the exception that it rests on', async () => {
    const { model } = await signedModel('excepted');
    const granted = { granted_by: 'Ada Lovelace', reason: 'The test set is new.' };
    const rules = ['2098-06-30', '2098-09-30'].map((until) => ({
      name: `approved, unless before ${until}`,
      ...approved,
      exception: { until, ...granted },
    }));
    const project = randomUUID();
    const { result } = await certify(model, project, { policy: { ...policy, rules } });
    expect(result).toBe('pass');
    const [{ validUntil }] = (await statusOf(model, project)).certificates;
    expect(validUntil).toBe('2098-07-01T00:00:00Z');
  });

  test('ends with the certificate that it rests on, and no longer stands when that is revoked', async () => {
    const { model, review } = await signedModel('short-lived support');
    await review('approved');
    const first = await certify(model, randomUUID(), { expiryDate: '2097-03-31' });
    const require = "certificates.exists(c, c.standing == 'good')";
    const rules = [{ name: 'certified', require }];
    const project = randomUUID();
    await certify(model, project, { policy: { ...policy, rules } });
    const [{ validUntil }] = (await statusOf(model, project)).certificates;
    expect(validUntil).toBe('2097-03-31T23:59:59Z');
    const { id, credentialStatus } = JSON.parse(await blobText(service, first.credential.sourceCid));
    await builder.revoke(id, [credentialStatus].flat()[0]);
    expect((await statusOf(model, project)).certificates).toMatchObject([{ standing: 'unsupported' }]);
  });

  test('has an unknown standing when what it rests on is not there', async () => {
    const { model, review } = await signedModel('support left out');
    await review('approved');
    const project = randomUUID();
    const { credential } = await certify(model, project);
    const signed = JSON.parse(await blobText(service, credential.sourceCid));
    const putBack = changeBlob(service.folder, parseCid(signed.relatedResource[0].id), () => null);
    await service.restart();
    expect((await statusOf(model, project)).certificates).toMatchObject([
      { standing: 'unknown', lost: null },
    ]);
    putBack();
    expect((await statusOf(model, project)).certificates).toMatchObject([{ standing: 'valid' }]);
  });

  test('no longer stands when a statement that it rests on is retracted, and says which', async () => {
    const { graph, model, review } = await signedModel('unsupported');
    const approval = await review('approved');
    const project = randomUUID();
    await certify(model, project);
    expect((await statusOf(model, project)).certificates).toMatchObject([{ standing: 'valid', lost: null }]);
    expect(await reportWords(model)).not.toContain('longer stand');
    await put(
      graph,
      { '@type': 'RetractionRegistration', subject: approval, reason: 'Too early.' },
      reviewer,
    );
    expect((await statusOf(model, project)).certificates).toMatchObject([
      { standing: 'unsupported', lost: { statement: approval, state: 'retracted' } },
    ]);
    const words = await reportWords(model);
    expect(words).toContain(
      '1 certificate that no longer stands, because a statement behind it was withdrawn',
    );
    expect(words).toMatch(/No longer stands: it rests on \S.* which is retracted\./);
    const certified = {
      ...policy,
      rules: [{ name: 'certified', require: "certificates.exists(c, c.standing == 'good')" }],
    };
    const { json } = await send(service, 'POST', '/checks/v1', { subject: model, policy: certified });
    expect(json.result).toBe('fail');
  });

  test('no longer stands when a certificate that it rests on has lost its support', async () => {
    const { graph, model, review } = await signedModel('certified twice');
    const approval = await review('approved');
    await certify(model, randomUUID());
    const project = randomUUID();
    const require = "certificates.exists(c, c.standing == 'good')";
    await certify(model, project, { policy: { ...policy, rules: [{ name: 'certified', require }] } });
    expect((await statusOf(model, project)).certificates).toMatchObject([{ standing: 'valid' }]);
    const retraction = { '@type': 'RetractionRegistration', subject: approval, reason: 'Too early.' };
    await put(graph, retraction, reviewer);
    expect((await statusOf(model, project)).certificates).toMatchObject([
      { standing: 'unsupported', lost: { statement: approval, state: 'retracted' } },
    ]);
  });

  test('rests on each of many statements, of which an answer lists some', async () => {
    const { graph, data, model } = await signedModel('many inputs');
    const parts = Array.from({ length: 130 }, (_, at) => blobUrn(`part ${at}`));
    const kept = await document({ kind: 'part' });
    const [, ...described] = await putStatements(service, graph, [
      {
        ...unsigned(),
        '@type': 'ComputationRegistration',
        operatedBy: builder.key.did,
        input: parts,
        output: data,
      },
      ...parts.map((subject) => ({
        ...unsigned(),
        '@type': 'MetadataRegistration',
        subject,
        metadata: kept,
      })),
    ]);
    const require = "upstream.exists(a, a.kind == 'part') && upstream.all(a, a.kind != 'secret')";
    const rules = Array.from({ length: 12 }, (_, at) => ({ name: `rule ${at}`, require }));
    const project = randomUUID();
    const { verdicts } = await certify(model, project, { policy: { ...policy, rules } });
    const listed = new Set(verdicts[0].rules[0].decided_by);
    expect(listed.size).toBe(100);
    expect((await statusOf(model, project)).certificates).toMatchObject([{ standing: 'valid' }]);
    const unlisted = described.find((id) => !listed.has(id));
    const retraction = { '@type': 'RetractionRegistration', subject: unlisted, reason: 'Wrong.' };
    await put(graph, retraction);
    expect((await statusOf(model, project)).certificates).toMatchObject([
      { standing: 'unsupported', lost: { statement: unlisted, state: 'retracted' } },
    ]);
  });

  test('no longer stands when the credential that signed such a statement is revoked', async () => {
    const { graph, model, data } = await signedModel('revoked support');
    const said = await send(service, 'PUT', '/store/v1/jcs', { decision: 'approved', comment: 'Revocable.' });
    const fields = { '@type': 'GovernanceRegistration', registeredBy: reviewer.key.did, subject: data };
    const statement = {
      ...builder.statement(),
      data: undefined,
      ...fields,
      document: `urn:cid:${said.json.cid}`,
    };
    const { json: stored } = await builder.put(statement, { graph_id: graph });
    const about = { id: `urn:cid:${stored.rdfc_cid}` };
    const unsigned = {
      '@context': [contextV2],
      id: `urn:uuid:${randomUUID()}`,
      type: ['VerifiableCredential'],
    };
    const { json: allocated } = await builder.allocate({
      ...unsigned,
      issuer: reviewer.key.did,
      credentialSubject: about,
    });
    const credential = await signedCredential(about.id, allocated, reviewer);
    await builder.put(builder.registration(credential), { graph_id: graph });
    const project = randomUUID();
    expect(await certify(model, project)).toMatchObject({ result: 'pass' });
    const [entry] = [allocated.credentialStatus].flat();
    await builder.revoke(allocated.id, entry);
    expect((await statusOf(model, project)).certificates).toMatchObject([
      { standing: 'unsupported', lost: { statement: `urn:cid:${stored.rdfc_cid}`, state: 'revoked' } },
    ]);
  });
});

describe('a policy whose controls carry rules', () => {
  const register = (controls: readonly object[]) =>
    post(service, 'cid/policy', { policy: { title: `release ${randomUUID()}`, signers }, controls });

  test('is refused if a rule cannot be used', async () => {
    const controls = [{ title: 'wrong', rule: { require: 'subject.nmae == ""' } }];
    expectRefusal(await register(controls), 400, 'name');
  });

  test('is refused as a policy of a check if no control carries a rule', async () => {
    const { policyCid } = (await register([{ title: 'Evaluate it' }])).json;
    const body = { subject: blobUrn('anything'), policy: policyCid };
    const answer = await send(service, 'POST', '/checks/v1', body);
    expectRefusal(answer, 400, `No control of the policy ${policyCid} carries a rule`);
  });

  test('is applied by its CID, and by the status of a subject', async () => {
    const { json } = await register([{ title: 'data approved', rule: approved }, { title: 'Evaluate it' }]);
    const { policyCid, controlCids } = json;
    const { model, review } = await signedModel('governed');
    const ask = async () =>
      (await send(service, 'POST', '/checks/v1', { subject: model, policy: policyCid })).json;
    expect(await ask()).toMatchObject({ result: 'fail', policy: policyCid });
    await review('approved');
    expect(await ask()).toMatchObject({ result: 'pass' });

    const [subject, project] = [await newSubject(service), randomUUID()];
    const declaration = { ...submission, controlCid: controlCids };
    await posted(service, `controls/declaration/${subject}/${project}`, declaration);
    const { checks } = await statusOf(subject, project);
    expect(checks).toMatchObject([
      { policy: policyCid, result: 'cannot_tell', verdicts: [{ subject: `urn:cid:${subject}` }] },
    ]);
  });

  test('is applied by the status as it was registered last, and the status names earlier policies', async () => {
    const [subject, project] = [await newSubject(service), randomUUID()];
    const cids: string[] = [];
    for (let revision = 0; revision < 12; revision += 1) {
      const { policyCid, controlCids } = (await register([{ title: `approved ${revision}`, rule: approved }]))
        .json;
      cids.unshift(policyCid);
      const declaration = { ...submission, controlCid: controlCids };
      await posted(service, `controls/declaration/${subject}/${project}`, declaration);
    }
    const { checks, uncheckedPolicyCids } = await statusOf(subject, project);
    expect(checks.map((one: { policy: string }) => one.policy)).toEqual(cids.slice(0, 10));
    expect(uncheckedPolicyCids).toEqual(cids.slice(10));
  });

  test('is certified only if the subject passes, and the answer says what was not reviewed', async () => {
    const rule = { require: "declarations.exists(d, d.text == 'done')" };
    const { json } = await register([{ title: 'declared', rule }, { title: 'another' }]);
    const { policyCid, controlCids } = json;
    const [subject, project] = [await newSubject(service), randomUUID()];
    const body = { subjectCid: subject, policyCid, expiryDate };
    expectRefusal(await post(service, `policy/compliance/${project}`, body), 409, '"declared"');
    const declaration = { ...submission, controlCid: controlCids, statement: 'done' };
    const { documentCid } = await posted(service, `controls/declaration/${subject}/${project}`, declaration);
    const { unreviewedControlCids } = await posted(service, `policy/compliance/${project}`, body);
    expect(unreviewedControlCids).toEqual(controlCids);
    const reviewed = { ...submission, declarationCid: documentCid, decision: 'approved' };
    await posted(service, `controls/review/${subject}/${project}`, {
      ...reviewed,
      controlCid: [controlCids[1]],
    });
    const unreviewed = { unreviewedControlCids: [controlCids[0]] };
    expect((await statusOf(subject, project)).certificates).toMatchObject([unreviewed]);
    const checked = await certify(`urn:cid:${subject}`, project, { policy: policyCid });
    expect(checked).toMatchObject({ result: 'pass', credential: expect.anything(), ...unreviewed });
  });
});
