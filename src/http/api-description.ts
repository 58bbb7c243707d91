import { ServiceError } from '../domain/errors.ts';
import { referenceAsset, referencePolicy } from '../platform/http/api-reference.ts';
import type { App } from '../platform/http/app.ts';

type Description = {
  readonly title: string;
  readonly description: string;
  readonly version: string;
};

type Registry = App['openAPIRegistry'];
type SecurityScheme = Parameters<Registry['registerComponent']>[2];

/** What of an application stands in a description: also where services with callers of other kinds share one. */
export type Described = Pick<App, 'getOpenAPIDocument'>;

/**
 * `/openapi.json`, generated from the schemas that parse the requests, and `/docs` to read and try it.
 * @param securitySchemes how callers prove who they are, by the names that its operations say.
 * @param others services at the same address.
 */
export function apiDescription<Caller>(
  app: App<Caller>,
  info: Description,
  securitySchemes: Readonly<Record<string, SecurityScheme>>,
  others: readonly Described[] = [],
): void {
  for (const [name, scheme] of Object.entries(securitySchemes))
    app.openAPIRegistry.registerComponent('securitySchemes', name, scheme);

  app.get('/openapi.json', (context) => context.json(apiDocument([app, ...others], info)));

  app.get('/docs/:asset?', async (context) => {
    const asset = await referenceAsset(context.req.param('asset'));
    if (!asset) throw new ServiceError('not_found', 'The API reference has no such file.');
    return context.body(typeof asset.body === 'string' ? asset.body : new Uint8Array(asset.body), 200, {
      'content-type': asset.type,
      'content-security-policy': referencePolicy,
      'x-content-type-options': 'nosniff',
    });
  });
}

/** One OpenAPI document of several services, whose paths differ and whose components of one name are one. */
function apiDocument(described: readonly Described[], info: Description) {
  const documents = described.map((one) =>
    one.getOpenAPIDocument({ openapi: '3.0.3', info, servers: [{ url: '/' }] }),
  );
  const joined = (part: 'schemas' | 'securitySchemes') =>
    Object.assign({}, ...documents.map(({ components }) => components?.[part]));
  return {
    ...documents[0],
    paths: Object.assign({}, ...documents.map(({ paths }) => paths)),
    components: {
      ...documents[0]?.components,
      schemas: joined('schemas'),
      securitySchemes: joined('securitySchemes'),
    },
  };
}
