import { z } from 'zod';
import { collection, type RecordsOf } from '../collections/collection.ts';
import { eachRecord } from '../collections/records.ts';
import type { Users } from '../control-plane/users.ts';
import { ServiceError } from '../errors.ts';

/**
 * The issuer of callers whose answer of the auth service names none. It is part of who a caller is, so it must not
 * change with the address of the auth service. `shared` is that of the service that started first.
 */
export const authServiceIssuers = collection('auth_service_issuers', {
  shape: z.object({ name: z.enum(['shared', 'integrity', 'control-plane']), issuer: z.string().min(1) }),
  key: 'name',
});

export interface IssuerSettings {
  readonly service: 'integrity' | 'control-plane';
  /** CAIRN_AUTH_SERVICE_ISSUER; null if it is not set. */
  readonly chosen: string | null;
  /** The base URL of the auth service, which is the issuer by default. */
  readonly url: string;
}

/**
 * The issuer, which the store keeps from its first use on. Of processes that start at once with different issuers, one
 * starts.
 * @returns `other`: the issuer of the other service, if it is another one.
 * @throws ServiceError `conflict` if another issuer is kept, unless the new one is chosen.
 */
export async function keptIssuer(
  ports: { readonly issuers: RecordsOf<typeof authServiceIssuers>; readonly users: Pick<Users, 'page'> },
  { service, chosen, url }: IssuerSettings,
): Promise<{ readonly issuer: string; readonly other: string | null }> {
  const { issuers, users } = ports;
  const issuer = chosen ?? url;
  await issuers.insert([{ name: 'shared', issuer }]);
  const shared = (await issuers.get('shared'))?.issuer ?? issuer;
  const isFirst = (await issuers.get(service)) === undefined;
  // Services that have run with two issuers before issuers were kept go on with them.
  if (isFirst && chosen === null && shared !== issuer && !(await hasUsers(users, issuer)))
    throwOtherIssuer(url, shared);
  await issuers.insert([{ name: service, issuer }]);
  const kept = (await issuers.get(service))?.issuer ?? issuer;
  if (kept === issuer) return { issuer, other: shared === issuer ? null : shared };
  if (chosen === null) throwOtherIssuer(url, kept);
  for (const name of ['shared', service] as const) await issuers.update(name, {}, { issuer });
  return { issuer, other: null };
}

async function hasUsers(users: Pick<Users, 'page'>, issuer: string): Promise<boolean> {
  for await (const _ of eachRecord(users, 'byCreation', [], { where: { issuer } })) return true;
  return false;
}

function throwOtherIssuer(url: string, kept: string): never {
  throw new ServiceError(
    'conflict',
    `The auth service is at "${url}" now, but its callers are kept as those of "${kept}". With another issuer they would be new users: disabled users would be enabled again, and agents would lose their owners. If it is the same auth service, set CAIRN_AUTH_SERVICE_ISSUER="${kept}". If it is another one, set CAIRN_AUTH_SERVICE_ISSUER="${url}".`,
  );
}
