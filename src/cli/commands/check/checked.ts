import { type CheckAnswer, checkAnswer, type checkBody } from '../../../contract/integrity/checks.ts';
import { type Policy, policyOf } from '../../../domain/integrity/policies/read-policy.ts';
import { answerJson, jsonBody, openClient } from '../../client/api-client.ts';
import type { ClientSettings } from '../../client/client-settings.ts';
import { graphIdOf } from '../../client/graphs.ts';
import { askNames } from '../../client/names.ts';
import { type Checked, failAbout, type Question } from './check-offline.ts';

/**
 * Asks the service.
 * @throws Failure (cannot tell) if nobody knows the subject, (usage) if several things have its name.
 */
export async function checkWithService(
  settings: ClientSettings,
  {
    subject,
    policy,
    graph,
    explain,
  }: Question & { readonly subject: string; readonly graph: string | undefined },
): Promise<Checked> {
  const client = openClient(settings);
  const graph_id = graph === undefined ? undefined : await graphIdOf(client, graph);
  const request = jsonBody<typeof checkBody>({ subject, policy: policy.source, graph_id, explain });
  const response = await client
    .send('POST', '/checks/v1', request)
    .catch((error) => failAbout(error, ' "cairn record" and "cairn import" add evidence.'));
  const answer = await answerJson(response, checkAnswer);
  return { answer, names: await askNames(client, idsIn(answer)) };
}

/** The things that a person reads about. */
function idsIn({ verdicts }: CheckAnswer): string[] {
  return verdicts.flatMap(({ subject, rules }) => [
    subject,
    ...rules.flatMap(({ missing, doubts, things }) => [
      ...missing.map(({ of }) => of),
      ...doubts.flatMap(({ of }) => of ?? []),
      ...(things?.deciding ?? []),
    ]),
  ]);
}

/** A policy that only shows facts. */
export function explaining(): Policy {
  const rules = [{ name: 'facts', require: 'true' }];
  const read = policyOf({ cairn: 'policy/1', name: 'facts', rules });
  if ('problems' in read) throw new TypeError(JSON.stringify(read.problems));
  return read.policy;
}
