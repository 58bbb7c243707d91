import { z } from 'zod';
import { type ApiClient, answerJson } from '../../src/cli/client/api-client.ts';
import { actors } from './actors.ts';
import { project } from './graphs.ts';

const json = { 'content-type': 'application/json' };
const registered = z.object({ documentCid: z.string() });
const policyAnswer = z.object({ policyCid: z.string(), controlCids: z.array(z.string()) });

/** Declares, reviews and certifies the project of the demo. A repeat changes nothing. @returns the CID of the subject. */
export async function govern(client: ApiClient): Promise<string> {
  const { graph_id: id, name } = project;
  const post = async (path: string, body: object) =>
    await client.send('POST', `/gov/v1/${path}`, { headers: json, body: () => JSON.stringify(body) });
  const subject = await (await post('cid/subject', { id: `urn:uuid:${id}`, name })).text();
  const policy = await answerJson(
    await post('cid/policy', {
      policy: { title: 'Release of Cairn', version: 1 },
      controls: [{ title: 'All tests pass' }, { title: 'Every dependency is pinned' }],
    }),
    policyAnswer,
  );
  const declare = async (controlCid: string | undefined, statement: string) =>
    await answerJson(
      await post(`controls/declaration/${subject}/${id}`, {
        submittedAt: '2026-02-01T09:00:00Z',
        submittedBy: actors.developer,
        controlCid: [controlCid],
        statement,
      }),
      registered,
    );
  const { documentCid: declarationCid } = await declare(
    policy.controlCids[0],
    'The tests ran on every commit.',
  );
  await declare(policy.controlCids[1], 'The lockfile names one version of each package.');
  await post(`controls/review/${subject}/${id}`, {
    submittedAt: '2026-02-02T10:00:00Z',
    submittedBy: actors.builder,
    declarationCid,
    decision: 'approved',
  });
  const { policyCid } = policy;
  await post(`policy/compliance/${id}`, { subjectCid: subject, policyCid, expiryDate: '2099-12-31' });
  return subject;
}
