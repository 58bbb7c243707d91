import type { Principal } from '../../src/domain/access/access.ts';
import { fixedGrants, type Permission } from '../../src/domain/access/grants.ts';

type Lists = Readonly<Record<string, readonly Permission[]>>;

/** A caller who may do this: permissions by project (`*` for all), and by organisation. */
export function principalWith(projects: Lists, organizations: Lists = {}, subject = 'one'): Principal {
  return {
    issuer: 'https://idp.example',
    subject,
    grants: fixedGrants(mapOf(projects), mapOf(organizations)),
    mayProbe: false,
  };
}

function mapOf(lists: Lists) {
  return new Map(Object.entries(lists).map(([id, permissions]) => [id, new Set(permissions)]));
}
