import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import {
  type AdmissionMode,
  type AdmissionRequest,
  admissionModes,
  admissionReview,
  reviewOf,
} from '../../contract/admission/review.ts';
import { imagesOf } from '../../domain/admission/pod-images.ts';
import { ServiceError } from '../../domain/errors.ts';
import { isObject } from '../../domain/json/is-object.ts';
import { reasonOf, shapeProblems } from '../../domain/json/shape-problems.ts';
import type { AppEnv } from '../../platform/http/app-env.ts';
import { errorAnswer, errorResponse } from '../../platform/http/error-response.ts';
import type { Log } from '../../platform/log.ts';
import { observedRequest } from '../../platform/telemetry/observed-request.ts';
import type { Telemetry } from '../../platform/telemetry/telemetry.ts';
import { type Decision, decide, decideUnknown } from './decide.ts';
import { findingsOf, type GatePolicy } from './findings.ts';

export interface AdmissionOptions {
  /** By their names. */
  readonly policies: ReadonlyMap<string, GatePolicy>;
  readonly exempt: readonly string[];
  readonly failsClosed: boolean;
  readonly log: Log;
  readonly telemetry: Telemetry;
  /** Rejects with a ServiceError as long as the webhook has never reached its service. */
  readonly ready: () => Promise<void>;
  readonly stopping: AbortSignal;
}

type AdmissionApp = Hono<AppEnv<never>>;

/** API servers take objects of up to 3 MiB. */
const mostBytes = 3 << 20;

/** The routes of the webhook: reviews, and probes. */
export function admissionApp(options: AdmissionOptions): AdmissionApp {
  const { log, telemetry, ready, stopping } = options;
  const app: AdmissionApp = new Hono<AppEnv<never>>();
  app.onError((error, context) => errorResponse(error, context, { showCallStack: false }));
  app.notFound((context) => {
    const { method, path } = context.req;
    return errorAnswer(
      new ServiceError('not_found', `There is no ${method} ${path.slice(0, 200)}.`),
      context,
    );
  });
  app.use((context, next) => {
    const requestId = crypto.randomUUID();
    context.set('requestId', requestId);
    context.set('log', log.child({ request_id: requestId }));
    return observedRequest(context, telemetry, () => next());
  });
  app.get('/health', (context) => context.json({ status: 'up' }));
  app.get('/ready', async (context) => {
    if (stopping.aborted) throw new ServiceError('unavailable', 'The webhook is stopping.');
    await ready();
    return context.json({ status: 'up' });
  });
  const limited = bodyLimit({
    maxSize: mostBytes,
    onError: () => {
      throw new ServiceError('too_large', `An admission review may have ${mostBytes} bytes.`);
    },
  });
  app.post('/validate', limited, async (context) =>
    context.json(await review(await reviewIn(context.req.raw), undefined, 'enforce', options)),
  );
  app.post(`/validate/:policy/:mode{${admissionModes.join('|')}}`, limited, async (context) => {
    const { policy, mode } = context.req.param();
    return context.json(
      await review(await reviewIn(context.req.raw), policy, mode as AdmissionMode, options),
    );
  });
  return app;
}

/** @throws ServiceError `invalid_request`. The API server then does what its `failurePolicy` says. */
async function reviewIn(request: Request): Promise<AdmissionRequest> {
  const body: unknown = await request.json().catch(() => fail(`The body is not JSON. ${whoAsks}`));
  const version = isObject(body) ? body.apiVersion : undefined;
  if (typeof version === 'string' && version !== 'admission.k8s.io/v1')
    fail(`The review has the version ${version.slice(0, 100)}. Set admissionReviewVersions: [v1].`);
  const { success, data } = admissionReview.safeParse(body);
  if (success) return data.request;
  const [problem] = shapeProblems(admissionReview, body);
  const where = problem && `${problem.name || 'it'} ${reasonOf(problem)}`;
  fail(`This is no AdmissionReview of admission.k8s.io/v1: ${where}. ${whoAsks}`);
}

const whoAsks = 'Only API servers call this webhook. See docs/admission.md.';

function fail(message: string): never {
  throw new ServiceError('invalid_request', message);
}

async function review(
  request: AdmissionRequest,
  name: string | undefined,
  mode: AdmissionMode,
  { policies, exempt, failsClosed, log, telemetry }: AdmissionOptions,
) {
  const startedAt = performance.now();
  const images = newImages(request);
  const policy = policies.get(name ?? '');
  let decision: Decision;
  let found: object = {};
  if (images.length === 0) decision = { outcome: 'pass', answer: { allowed: true } };
  else if (!policy) decision = decideUnknown(name, mode, [...policies.keys()]);
  else {
    const findings = await findingsOf(images, policy, exempt);
    decision = decide(findings, { policy: policy.name, mode, failsClosed });
    found = { images: findings.map(({ image, outcome }) => ({ image, outcome })) };
  }
  const { outcome, answer } = decision;
  telemetry.metrics?.admissionReviews.inc({ policy: policy?.name ?? 'unknown', mode, outcome });
  const { uid, operation, kind, subResource, namespace, name: object, userInfo, dryRun } = request;
  log[outcome === 'pass' ? 'info' : 'warn'](
    {
      uid,
      ...{ namespace, kind: kind.kind, subresource: subResource, name: object, operation },
      ...{ user: userInfo?.username, dry_run: dryRun === true ? true : undefined },
      ...{ policy: name, mode, outcome, allowed: answer.allowed, ...found },
      reason: answer.auditAnnotations?.reason,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
    },
    'admission',
  );
  return reviewOf({ uid, ...answer });
}

/**
 * The images that are about to come in. An update is asked about those that it adds: otherwise a revocation would stop
 * controllers from finishing with pods that run already.
 */
function newImages({ operation, kind, object, oldObject }: AdmissionRequest): string[] {
  if (operation !== 'CREATE' && operation !== 'UPDATE') return [];
  if (!isObject(object)) fail(`The review of a ${operation} has no object.`);
  try {
    const images = imagesOf(object);
    if (operation === 'CREATE') return images;
    const before = new Set(imagesOf(oldObject));
    return images.filter((image) => !before.has(image));
  } catch (cause) {
    throw new ServiceError(
      'invalid_request',
      `The containers of the ${kind.kind.slice(0, 100)} have an unknown form. In the ValidatingWebhookConfiguration, name only resources whose pods are those of core/v1.`,
      { cause },
    );
  }
}
