import { fixedGrants, type Grants, type PermissionMap } from './grants.ts';
import { isPermission, type Permission } from './permissions.ts';

type Claims = Readonly<Record<string, unknown>>;

export interface ClaimedGrants {
  /** Null if the claims contain no permissions. */
  readonly grants: Grants | null;
  readonly organizations: readonly string[];
  readonly isAdmin: boolean;
  /** One sentence for each malformed claim. Malformed claims grant nothing. */
  readonly problems: readonly string[];
}

const noPermissions: PermissionMap = new Map();

/**
 * Reads the claims `<namespace>/permissions`, `<namespace>/organizations` and `<namespace>/has_admin_access`. Unknown
 * permissions are ignored, because they belong to other services.
 */
export function claimedGrants(claims: Claims, namespace: string): ClaimedGrants {
  const problems: string[] = [];
  const mapOf = (name: string) => {
    const claim = `${namespace}/${name}`;
    const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
    return value === undefined ? undefined : permissionMap(value, claim, problems);
  };
  const projects = mapOf('permissions');
  const organizations = mapOf('organizations') ?? noPermissions;
  return {
    grants: projects ? fixedGrants(lowerCased(projects), organizations) : null,
    organizations: [...organizations.keys()],
    isAdmin: claims[`${namespace}/has_admin_access`] === true,
    problems,
  };
}

function permissionMap(value: unknown, claim: string, problems: string[]): PermissionMap {
  const map = new Map<string, ReadonlySet<Permission>>();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    problems.push(`The claim ${claim} is not an object, so it grants nothing.`);
    return map;
  }
  for (const [id, names] of Object.entries(value)) {
    if (Array.isArray(names)) map.set(id, new Set(names.filter(isPermission)));
    else problems.push(`The claim ${claim} has a member that is not a list. That member grants nothing.`);
  }
  return map;
}

/** UUIDs are case-insensitive. */
function lowerCased(map: PermissionMap): PermissionMap {
  return new Map([...map].map(([id, granted]) => [id.toLowerCase(), granted]));
}
