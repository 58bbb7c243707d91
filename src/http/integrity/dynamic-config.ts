import { dynamicConfig, dynamicConfigChange } from '../../contract/integrity/dynamic-config.ts';
import { anywhere, known } from '../../domain/access/access.ts';
import type { RunTimeLimits } from '../../domain/integrity/dynamic-config.ts';
import { note } from '../../platform/audit-trail/entry.ts';
import type { App } from '../../platform/http/app.ts';
import { jsonAnswer } from '../answers.ts';
import { type JsonLimits, parsedJsonBody } from '../parsed-request.ts';
import { operation } from './operation.ts';

const tag = 'Dynamic configuration';
export interface DynamicConfigRoutes {
  /** A change applies in every process. */
  readonly runTimeLimits: {
    current(): RunTimeLimits;
    change(changes: Partial<RunTimeLimits>): Promise<void>;
  };
  readonly limits: JsonLimits;
}

export function dynamicConfigRoutes(app: App, { runTimeLimits, limits }: DynamicConfigRoutes): void {
  operation(app, 'GET /dynamic-config/v1', {
    access: known,
    tag,
    summary: 'Read the run-time limits',
    description: 'The header Allow names PUT if the caller may change them.',
    answers: { 200: jsonAnswer('The limits', dynamicConfig) },
    handle: async ({ answer, principal: { grants } }) => {
      // An auth service would have to be asked about many projects.
      const mayChange = grants.isOpenEnded || (await grants.anywhere('manage_configuration'));
      const allow = mayChange ? 'GET, HEAD, PUT' : 'GET, HEAD';
      return answer(200, configJson(runTimeLimits.current()), { allow });
    },
  });

  operation(app, 'PUT /dynamic-config/v1', {
    access: anywhere('manage_configuration'),
    tag,
    summary: 'Change run-time limits',
    description: 'Requests above a limit wait. A change is stored and takes effect without a restart.',
    body: { 'application/json': { schema: dynamicConfigChange } },
    answers: { 200: jsonAnswer('The limits', dynamicConfig) },
    handle: async ({ context, answer }) => {
      const body = await parsedJsonBody(context, dynamicConfigChange, limits);
      note(context, { details: body });
      const fetch = body.blob_store_fetch_concurrency_limit;
      const write = body.blob_store_write_concurrency_limit;
      await runTimeLimits.change({
        ...(fetch !== undefined && { blobStoreFetchConcurrency: fetch }),
        ...(write !== undefined && { blobStoreWriteConcurrency: write }),
      });
      return answer(200, configJson(runTimeLimits.current()));
    },
  });
}

function configJson({ blobStoreFetchConcurrency, blobStoreWriteConcurrency }: RunTimeLimits) {
  return {
    blob_store_fetch_concurrency_limit: blobStoreFetchConcurrency,
    blob_store_write_concurrency_limit: blobStoreWriteConcurrency,
  };
}
