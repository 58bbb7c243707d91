import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { formatVkey } from '../domain/log/notes/vkey.ts';
import {
  addCheckpoint,
  originHash,
  type WitnessFault,
  type WitnessPorts,
  WitnessRefusal,
} from '../domain/log/witnessing/witness.ts';
import type { Log } from '../platform/log.ts';

const statusOf = {
  malformed: 400,
  untrusted: 403,
  unknown_log: 404,
  conflict: 409,
  inconsistent: 422,
} as const satisfies Record<WitnessFault, number>;

/** Enough for a proof and 16 signatures with ML-DSA-44. */
const mostBytes = 128 << 10;

const plain = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
/** The answer with the size that the witness knows. */
const sizeType = { 'content-type': 'text/x.tlog.size' };

/** Answers what witnesses answer (c2sp.org/tlog-witness). Nobody has to authenticate: checkpoints are signed. */
export function witnessRoutes(ports: WitnessPorts, log: Log): Hono {
  const app = new Hono();
  const tooLarge = () => new Response('The request is too large.\n', { status: 413, headers: plain });

  app.post('/add-checkpoint', bodyLimit({ maxSize: mostBytes, onError: tooLarge }), async (context) => {
    try {
      const lines = await addCheckpoint(new Uint8Array(await context.req.arrayBuffer()), ports);
      return context.body(lines.map((line) => `${line}\n`).join(''), 200, plain);
    } catch (error) {
      if (!(error instanceof WitnessRefusal)) throw error;
      const { fault, message, sent, known } = error;
      // Both together prove that the log has two histories, so somebody must be able to read them later.
      if (fault === 'inconsistent')
        log.error({ sent, known: known?.note }, `A log contradicts itself: ${message}`);
      else log.info({ fault }, `No cosignature: ${message}`);
      if (fault === 'conflict') return context.body(`${known?.size ?? 0}\n`, 409, sizeType);
      return context.body(`${message}\n`, statusOf[fault], plain);
    }
  });

  const origins = new Map([...ports.logs.keys()].map((origin) => [originHash(origin), origin]));
  app.get('/:hash{[0-9a-f]{64}}/checkpoint', (context) => {
    const known = ports.memory.latest(origins.get(context.req.param('hash')) ?? '');
    const headers = { ...plain, 'cache-control': 'no-cache' };
    return known
      ? context.body(known.note, 200, headers)
      : context.body('This witness has cosigned no checkpoint of such a log.\n', 404, plain);
  });

  app.get('/', (context) =>
    context.body(ports.signers.map(({ vkey }) => `${formatVkey(vkey)}\n`).join(''), 200, plain),
  );
  app.notFound((context) => context.body('See https://c2sp.org/tlog-witness\n', 404, plain));
  app.onError((err, context) => {
    log.error({ err }, 'A request failed.');
    return context.body('The witness cannot answer at the moment.\n', 500, plain);
  });
  return app;
}
