import { checkAnswer, checkBody, checkJson } from '../../contract/integrity/checks.ts';
import { callerKey, known } from '../../domain/access/access.ts';
import { ServiceError } from '../../domain/errors.ts';
import { cidIn } from '../../domain/integrity/identifiers/cid.ts';
import { type CheckingPorts, checkStored } from '../../domain/integrity/policies/check-stored.ts';
import {
  type Policy,
  type PolicyReading,
  policyLimit,
  policyOf,
  readPolicy,
} from '../../domain/integrity/policies/read-policy.ts';
import type { WorkLimit } from '../../domain/integrity/ports.ts';
import type { App } from '../../platform/http/app.ts';
import { errorAnswer, jsonAnswer } from '../answers.ts';
import { parsedJsonBody, type RequestLimits } from '../parsed-request.ts';
import { operation } from './operation.ts';

export type CheckRoutes = CheckingPorts & {
  /** Shared with lineages, because a check reads one. */
  readonly lineages: WorkLimit;
  readonly limits: RequestLimits;
};

/** A policy in JSON takes more bytes than in YAML. */
const bodyLimit = 2 * policyLimit;

export function checkRoutes(app: App, ports: CheckRoutes): void {
  operation(app, 'POST /checks/v1', {
    access: known,
    audit: 'none',
    tag: 'Policies',
    summary: 'Check something against a policy',
    description:
      'Answers pass, fail or cannot_tell for each rule, with the statements that decided it and what is missing. Facts are read as the caller sees them. A graph is checked by its results, from which nothing else was made. Nothing is stored.',
    body: { 'application/json': { schema: checkBody } },
    answers: {
      200: jsonAnswer('What the policy says', checkAnswer),
      404: errorAnswer('Nobody knows the subject, the policy or the graph'),
      409: errorAnswer('Several things have this name'),
    },
    handle: async ({ answer, context, principal }) => {
      const body = await parsedJsonBody(context, checkBody, ports.limits, bodyLimit);
      const { subject, explain, graph_id: graphId = null } = body;
      const policy = await policyIn(ports, body.policy);
      const work = () => checkStored(ports, principal, { subject, policy, graphId, explain });
      const { check, facts } = await ports.lineages.run(work, callerKey(principal));
      return answer(200, checkJson(check, explain ? facts : undefined));
    },
  });
}

async function policyIn(
  { blobs }: Pick<CheckRoutes, 'blobs'>,
  given: string | Readonly<Record<string, unknown>>,
): Promise<Policy> {
  if (typeof given !== 'string') return readable(policyOf(given));
  const cid = cidIn(given.trim());
  if (!cid) return readable(readPolicy(given));
  const [bytes] = await blobs.readSmall([cid], policyLimit);
  if (!bytes) throw new ServiceError('not_found', `There is no policy ${cid.text}.`);
  return readable(readPolicy(Buffer.from(bytes).toString()));
}

function readable(reading: PolicyReading): Policy {
  if ('policy' in reading) return reading.policy;
  const details = reading.problems.map((problem) => ({
    pointer: problem.place,
    reason: `Line ${problem.line}, column ${problem.column}: ${problem.problem.code} ${JSON.stringify(problem.problem)}`,
  }));
  throw new ServiceError('invalid_request', `The policy cannot be used. ${details[0]?.reason ?? ''}`, {
    details,
  });
}
