import { afterAll } from 'vitest';
import { ContextRegistry } from '../../src/domain/integrity/contexts/contexts.ts';
import { ContextWorld } from '../../src/domain/integrity/contexts/world.ts';
import { StatementPool } from '../../workers/statement-pool.ts';

/** Identifies statements on one thread, until the tests of the file end. */
export function usePool(world: ContextWorld = ContextWorld.bundled()) {
  const registry = new ContextRegistry(world, []);
  const limits = { threads: 1, maxDepth: 64, documentMs: 60_000, requestMs: 600_000 };
  const identifier = new StatementPool({ registry, ...limits });
  afterAll(() => identifier[Symbol.asyncDispose]());
  return { registry, identifier };
}
