import { z } from 'zod';
import { collection, type RecordsOf } from '../collections/collection.ts';
import { ServiceError } from '../errors.ts';

/** Which secret the sessions in the store belong to. The control plane, which begins them, says so at its start. */
export const sessionSecrets = collection('session_secrets', {
  shape: z.object({ name: z.literal('current'), secretId: z.string().min(1) }),
  key: 'name',
  isTransient: true,
});

type SessionSecrets = RecordsOf<typeof sessionSecrets>;

/** @param secretId names the secret. A new one ends all sessions. */
export async function announceSecret(secrets: SessionSecrets, secretId: string): Promise<void> {
  const [isNew] = await secrets.insert([{ name: 'current', secretId }]);
  if (!isNew) await secrets.update('current', {}, { secretId });
}

/** @throws ServiceError `conflict` if the control plane has another secret. */
export async function assertSameSecret(secrets: SessionSecrets, secretId: string): Promise<void> {
  const current = await secrets.get('current');
  if (current !== undefined && current.secretId !== secretId)
    throw new ServiceError(
      'conflict',
      'CONTROL_PLANE_AUTH_STATE_SECRET is not the secret with which the control plane on this store has started, so this service could not read its sessions. Set the same secret in both. If you have changed it, start the control plane first.',
    );
}
