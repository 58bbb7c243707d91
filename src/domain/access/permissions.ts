/** The permissions of the integrity service (specification, part 5). */
export const permissions = [
  'apply_policies',
  'create_agent_memberships',
  'create_comments',
  'create_credentials',
  'create_declarations',
  'create_projects',
  'manage_configuration',
  'revoke_credentials',
  'view_project_data',
] as const;

export type Permission = (typeof permissions)[number];

export function isPermission(name: unknown): name is Permission {
  return permissions.some((permission) => permission === name);
}

/** Permissions that an organisation grants, for content outside of projects. */
const ofOrganizations: readonly Permission[] = ['create_projects', 'apply_policies'];

export function isOfOrganizations(permission: Permission): boolean {
  return ofOrganizations.includes(permission);
}
