import { serve } from '@hono/node-server';
import { Hono } from 'hono';

// The HTTP stack alone: a route that parses its body and answers, and one that only answers. Sends its parent
// the address.

const app = new Hono();
app.put('/statements/v1', async (context) => {
  const body = await context.req.json();
  return context.json({ jcs_cid: body.statement.timestamp, rdfc_cid: body.statement.registeredBy }, 201);
});
app.get('/v1/me', (context) => context.json({ subject: 'ada', role: 'member' }));

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  process.send?.(`http://127.0.0.1:${port}`),
);
