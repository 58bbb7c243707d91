import { authorize, nobody } from '../domain/access.ts';
import { ServiceError } from '../domain/errors.ts';
import { referenceAsset, referencePolicy } from '../platform/api-reference.ts';
import type { App } from '../platform/app.ts';

/** `/openapi.json`, generated from the schemas that parse the requests, and `/docs` to read and try it. */
export function apiDescription(app: App, { title, version }: { title: string; version: string }): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token for this service (CAIRN_AUTH_MODE).',
  });

  app.get('/openapi.json', async (context) => {
    await authorize(nobody, 'GET /openapi.json');
    const description = 'Statements, blobs and graphs, addressed by their content.';
    return context.json(
      app.getOpenAPIDocument({
        openapi: '3.0.3',
        info: { title, version, description },
        servers: [{ url: '/' }],
      }),
    );
  });

  app.get('/docs/:asset?', async (context) => {
    await authorize(nobody, 'GET /docs');
    const asset = await referenceAsset(context.req.param('asset'));
    if (!asset) throw new ServiceError('not_found', 'The API reference has no such file.');
    return context.body(typeof asset.body === 'string' ? asset.body : new Uint8Array(asset.body), 200, {
      'content-type': asset.type,
      'content-security-policy': referencePolicy,
      'x-content-type-options': 'nosniff',
    });
  });
}
