import { serve } from '@hono/node-server';
import { Hono } from 'hono';

// What the HTTP stack does alone: one route that parses its body and answers. Tells its parent the address.

const app = new Hono();
app.put('/statements/v1', async (context) => {
  const body = await context.req.json();
  return context.json({ jcs_cid: body.statement.timestamp, rdfc_cid: body.statement.registeredBy }, 201);
});

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  process.send?.(`http://127.0.0.1:${port}`),
);
