import { expect } from 'vitest';
import { selfNaming } from '../../src/cli/client/self-naming.ts';
import type { Signer } from '../../src/domain/integrity/signer.ts';
import { type Asked, send } from './service.ts';

/** Stores the name that a signer gives its own DID. */
export async function nameSigner(service: Asked, signer: Signer, name: string): Promise<void> {
  const { statements } = await selfNaming(signer, name, new Date('2026-01-31T12:00:00Z'));
  await send(service, 'PUT', '/store/v1/jcs', { name });
  const body = { statements: statements.map((text) => JSON.parse(String(text))) };
  const { status, text } = await send(service, 'PUT', '/statements/v1/batch', body);
  expect(status, text).toBe(201);
}
