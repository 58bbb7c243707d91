import type { z } from 'zod';
import { checkAnswer, checkBody, checkJson } from '../../contract/integrity/checks.ts';
import { certifiedAnswer, certifyBody, governanceProject } from '../../contract/integrity/governance.ts';
import {
  authorizeProject,
  callerKey,
  known,
  onNamedProject,
  type Principal,
} from '../../domain/access/access.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type CertificatePorts, certifyCheck } from '../../domain/integrity/governance/certificates.ts';
import { storeDocument } from '../../domain/integrity/governance/documents.ts';
import type { GovernanceRecords } from '../../domain/integrity/governance/governance-records.ts';
import { governedPolicy } from '../../domain/integrity/governance/policy-rules.ts';
import { everything, unreviewedControls } from '../../domain/integrity/governance/status.ts';
import { firstEndOfSupport } from '../../domain/integrity/governance/support.ts';
import { parseCid } from '../../domain/integrity/identifiers/cid.ts';
import type { Check } from '../../domain/integrity/policies/check.ts';
import { type CheckingPorts, checkStored } from '../../domain/integrity/policies/check-stored.ts';
import { outcomeDocument } from '../../domain/integrity/policies/outcome.ts';
import { type Policy, policyCid, policyLimit } from '../../domain/integrity/policies/read-policy.ts';
import { firstEndOfExceptions } from '../../domain/integrity/policies/verdict.ts';
import type { BlobStore, WorkLimit } from '../../domain/integrity/ports.ts';
import { note } from '../../platform/audit-trail/entry.ts';
import type { App } from '../../platform/http/app.ts';
import { errorAnswer, jsonAnswer } from '../answers.ts';
import { parsedJsonBody, type RequestLimits } from '../parsed-request.ts';
import { operation } from './operation.ts';
import { type PolicyPorts, policyIn } from './policy-reading.ts';

export type CheckRoutes = CheckingPorts &
  CertificatePorts &
  PolicyPorts & {
    readonly governanceRecords: Pick<GovernanceRecords, 'page'>;
    /** Shared with lineages, because a check reads one. */
    readonly lineages: WorkLimit;
    /** The blob store for the requests of one caller, as `callerKey` names them. */
    readonly blobsOf: (caller: string) => Pick<BlobStore, 'stage'>;
    readonly limits: RequestLimits;
  };

/** A policy in JSON takes more bytes than in YAML. */
const bodyLimit = 2 * policyLimit;

const tag = 'Policies';

export function checkRoutes(app: App, ports: CheckRoutes): void {
  operation(app, 'POST /checks/v1', {
    access: known,
    audit: 'none',
    tag,
    summary: 'Check something against a policy',
    description:
      'Answers pass, fail or cannot_tell for each rule, with the statements that decided it and what is missing. Facts are read as the caller sees them. A graph is checked by its results, from which nothing else was made. Nothing is stored.',
    body: { 'application/json': { schema: checkBody } },
    answers: { 200: jsonAnswer('What the policy says', checkAnswer), ...refusals },
    handle: async ({ answer, context, principal }) => {
      const body = await parsedJsonBody(context, checkBody, ports.limits, bodyLimit);
      const { check, facts } = await checked(ports, principal, body);
      return answer(200, checkJson(check, body.explain ? facts : undefined));
    },
  });

  operation(app, 'POST /checks/v1/certificate/{project_uuid}', {
    access: onNamedProject('create_credentials'),
    tag,
    summary: 'Check something against a policy, and certify that it passes',
    description:
      'A check of one subject that passes is registered as a compliance certificate in the graph of the project, signed by the service. It names a document with the rules, the statements that decided them, and the size of the log. When one of these statements is withdrawn, or the signature that counted, the certificate is shown as unsupported. It ends with the first exception of the policy, certificate or signature that the check needed. The answer lists the controls of the policy that the last review did not approve, or nobody has reviewed.',
    params: governanceProject,
    body: { 'application/json': { schema: certifyBody } },
    answers: { 200: jsonAnswer('What the policy says, and the certificate', certifiedAnswer), ...refusals },
    beginsLate: true,
    handle: async ({ answer, context, principal, params: { project_uuid: projectId }, begin }) => {
      note(context, { target: projectId });
      await authorizeProject(principal, 'create_credentials', projectId);
      const body = await parsedJsonBody(context, certifyBody, ports.limits, bodyLimit);
      await begin();
      const { check, policy } = await checked(ports, principal, body);
      const certifying = { policy, check, projectId, expiryDate: body.expiryDate };
      const certificate = await certified(ports, principal, certifying);
      const unreviewedControlCids = await unreviewedAmong(ports, certifying);
      return answer(200, { ...checkJson(check), credential: certificate, unreviewedControlCids });
    },
  });
}

const refusals = {
  404: errorAnswer('Nobody knows the subject, the policy or the graph'),
  409: errorAnswer('Several things have this name'),
};

async function checked(ports: CheckRoutes, principal: Principal, body: z.output<typeof checkBody>) {
  const { subject, explain, graph_id: graphId = null } = body;
  const policy = await policyIn(ports, principal, body.policy);
  const work = () => checkStored(ports, principal, { subject, policy, graphId, explain });
  return { policy, ...(await ports.lineages.run(work, callerKey(principal))) };
}

interface Certifying {
  readonly policy: Policy;
  readonly check: Check;
  readonly projectId: string;
  readonly expiryDate: string;
}

/** The certificate of a check that has passed; null if it has not. */
async function certified(
  ports: CheckRoutes,
  principal: Principal,
  { policy, check, projectId, expiryDate }: Certifying,
) {
  const [verdict, another] = check.verdicts;
  if (check.result !== 'pass' || !verdict) return null;
  if (another)
    throw new ServiceError(
      'invalid_request',
      'A certificate is about one subject. Name one result of the graph.',
    );
  const outcome = await outcomeDocument(verdict, ports.publishedLogs.reading);
  const outcomeCid = await storeDocument(ports, principal, outcome);
  // A policy of governance is stored under its own CID already.
  if (policyCid(policy.source) === policy.cid) await storeDocument(ports, principal, policy.source);
  const reading = { ...ports, documents: ports.blobs.readSmall };
  const support = await firstEndOfSupport(reading, outcomeCid, everything);
  return await certifyCheck(ports, principal, {
    projectId,
    subject: verdict.subject,
    policyCid: policy.cid,
    outcomeCid: outcomeCid.text,
    expiryDate,
    acceptedUntil: Math.min(firstEndOfExceptions(verdict.rules), support),
  });
}

/** Of a policy of governance: its controls that the last review about the subject did not approve. */
async function unreviewedAmong(ports: CheckRoutes, { policy, check, projectId }: Certifying) {
  const governed = await governedPolicy(ports, parseCid(policy.cid));
  const subject = check.verdicts[0]?.subject;
  if (!governed || subject === undefined) return [];
  return await unreviewedControls(ports, governed.controlCids, subject, projectId);
}
