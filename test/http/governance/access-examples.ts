import { anywhere, known, onNamedProject } from '../../../src/domain/access/access.ts';
import type { Example, SendAs } from '../access-examples.ts';
import { json, type World } from '../access-world.ts';

async function newSubject({ alpha }: World, as: SendAs): Promise<string> {
  const answer = await as({ method: 'POST', path: '/gov/v1/cid/subject', ...json({ id: alpha.id }) });
  return answer.text;
}

async function newPolicy(as: SendAs): Promise<string> {
  const answer = await as({ method: 'POST', path: '/gov/v1/cid/policy', ...json({ policy: {} }) });
  return answer.json.policyCid;
}

const submission = { submittedAt: '2026-03-01T09:30:00Z', submittedBy: 'did:example:ada' };

export const governanceExamples: Readonly<Record<string, Example>> = {
  'POST /gov/v1/cid/subject': {
    access: onNamedProject('apply_policies'),
    request: ({ alpha }) => ({ path: '/gov/v1/cid/subject', ...json({ id: alpha.id }) }),
    status: 200,
  },
  'POST /gov/v1/cid/policy': {
    access: anywhere('create_declarations'),
    request: () => ({ path: '/gov/v1/cid/policy', ...json({ policy: {}, controls: [{}] }) }),
    status: 200,
  },
  'POST /gov/v1/controls/declaration/{subject_cid}/{project_uuid}': {
    access: onNamedProject('create_declarations'),
    request: async (world, as) => ({
      path: `/gov/v1/controls/declaration/${await newSubject(world, as)}/${world.alpha.id}`,
      ...json(submission),
    }),
    status: 200,
  },
  'POST /gov/v1/controls/review/{subject_cid}/{project_uuid}': {
    access: onNamedProject('create_declarations'),
    async request(world, as) {
      const place = `${await newSubject(world, as)}/${world.alpha.id}`;
      const path = `/gov/v1/controls/declaration/${place}`;
      const { json: declared } = await as({ method: 'POST', path, ...json(submission) });
      const review = { ...submission, declarationCid: declared.documentCid, decision: 'approved' };
      return { path: `/gov/v1/controls/review/${place}`, ...json(review) };
    },
    status: 200,
  },
  'POST /gov/v1/identity/membership/{project_uuid}': {
    access: onNamedProject('create_agent_memberships'),
    request: ({ alpha }) => ({
      path: `/gov/v1/identity/membership/${alpha.id}`,
      ...json({ subjectDid: 'did:example:ada', expiryDate: '2999-12-31' }),
    }),
    status: 200,
  },
  'POST /gov/v1/policy/compliance/{project_uuid}': {
    access: onNamedProject('create_credentials'),
    async request(world, as) {
      const body = { subjectCid: await newSubject(world, as), policyCid: await newPolicy(as) };
      return {
        path: `/gov/v1/policy/compliance/${world.alpha.id}`,
        ...json({ ...body, expiryDate: '2999-12-31' }),
      };
    },
    status: 200,
  },
  'POST /gov/v1/policy/manifest/{project_uuid}': {
    access: onNamedProject('view_project_data'),
    request: async (world, as) => ({
      path: `/gov/v1/policy/manifest/${world.alpha.id}`,
      ...json({ policyCids: [await newPolicy(as)] }),
    }),
    status: 200,
  },
  'GET /gov/v1/status/{subject_cid}/{project_uuid}': {
    access: onNamedProject('view_project_data'),
    request: async (world, as) => ({
      path: `/gov/v1/status/${await newSubject(world, as)}/${world.alpha.id}`,
    }),
    status: 200,
  },
  'GET /gov/v1/status/{subject_cid}': {
    access: known,
    async request(world, as) {
      const subject = await newSubject(world, as);
      const path = `/gov/v1/controls/declaration/${subject}/${world.alpha.id}`;
      await as({ method: 'POST', path, ...json(submission) });
      return { path: `/gov/v1/status/${subject}` };
    },
    status: 200,
    secret: ({ alpha }) => `"project":"${alpha.id}"`,
  },
};
