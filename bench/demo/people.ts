import { permissions } from '../../src/domain/access/grants.ts';
import { houses, project } from './graphs.ts';

export interface Person {
  /** The user name, and the subject at the provider. */
  readonly login: string;
  readonly name: string;
  /** What they are in the demo, for people. */
  readonly part: string;
  /** Permissions by project; `*` means all. */
  readonly permissions: Readonly<Record<string, readonly string[]>>;
  readonly organizations?: Readonly<Record<string, readonly string[]>>;
  readonly has_admin_access?: true;
}

const organization = 'cairn-demo';
const work = permissions.filter((one) => one !== 'create_projects' && one !== 'manage_configuration');

/** Who can sign in to the demo. */
export const people = {
  ada: {
    login: 'ada',
    name: 'Ada Quist',
    part: 'administrator: every project, users, limits and the audit log',
    permissions: { '*': permissions },
    organizations: { [organization]: ['create_projects', 'apply_policies'] },
    has_admin_access: true,
  },
  ben: {
    login: 'ben',
    name: 'Ben Okoro',
    part: `member: works in the project "${project.name}"`,
    permissions: { [project.graph_id]: work },
    organizations: { [organization]: ['apply_policies'] },
  },
  cleo: {
    login: 'cleo',
    name: 'Cleo Marin',
    part: `member: works in the project "${houses.name}"`,
    permissions: { [houses.graph_id]: work },
    organizations: { [organization]: ['apply_policies'] },
  },
  dora: {
    login: 'dora',
    name: 'Dora Weiss',
    part: 'auditor: reads every project and changes nothing',
    permissions: { '*': ['view_project_data'] },
  },
} as const satisfies Readonly<Record<string, Person>>;

export type Login = keyof typeof people;

export const emailOf = ({ login }: Person) => `${login}@example.com`;
