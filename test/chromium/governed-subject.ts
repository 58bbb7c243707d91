import { randomUUID } from 'node:crypto';
import { blobText, posted, submitter } from '../http/governance/governance.ts';
import { type Asked, send } from '../http/service.ts';

/** A subject with an approved control, a declared one, a valid certificate and a revoked one, and a member. */
export async function storeGovernance(service: Asked) {
  const project = randomUUID();
  const { text: subject } = await send(service, 'POST', '/gov/v1/cid/subject', {
    id: `urn:uuid:${project}`,
    name: 'Credit scoring',
  });
  const { policyCid, controlCids } = await posted(service, 'cid/policy', {
    policy: { title: 'Model release', version: 2 },
    controls: [{ title: 'Evaluate on held-out data' }, { title: 'Document the training data' }],
  });
  const declare = async (controlCid: string, statement: string) =>
    await posted(service, `controls/declaration/${subject}/${project}`, {
      submittedAt: '2026-03-01T09:30:00Z',
      submittedBy: submitter,
      controlCid: [controlCid],
      statement,
    });
  const { documentCid } = await declare(controlCids[0], 'The model reaches an AUC of 0.83.');
  await declare(controlCids[1], 'The data sheet is stored beside the model.');
  const review = { submittedAt: '2026-03-02T08:00:00Z', submittedBy: 'did:web:bob.example' };
  await posted(service, `controls/review/${subject}/${project}`, {
    ...review,
    declarationCid: documentCid,
    decision: 'approved',
  });
  const certify = async (expiryDate: string) =>
    await posted(service, `policy/compliance/${project}`, { subjectCid: subject, policyCid, expiryDate });
  const { credential } = await certify('2098-12-31');
  const [revocation] = JSON.parse(await blobText(service, credential.sourceCid)).credentialStatus;
  const id = encodeURIComponent(credential.credentialId);
  await send(service, 'POST', `/credentials/v1/revoke/${id}`, { credentialStatus: revocation });
  await certify('2099-12-31');
  const member = 'did:web:ada.example';
  await posted(service, `identity/membership/${project}`, { subjectDid: member, expiryDate: '2099-12-31' });
  return { project, subject: `urn:cid:${subject}`, member };
}
