import { findings } from '../../../contract/integrity/findings.ts';
import { counted } from '../../../contract/words/text.ts';
import type { Facts } from '../../../domain/integrity/policies/facts.ts';
import { statementsIn } from '../../../domain/integrity/policies/statements-in.ts';
import { mapConcurrent } from '../../../domain/map-concurrent.ts';
import { type ApiClient, answerBytes, answerJson } from '../../client/api-client.ts';
import { writeWhole } from '../../client/local-files.ts';
import { failNo } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { say } from '../../terminal/output.ts';

const mostStatements = 2_000;
const askedAtOnce = 8;

/**
 * Exports the graphs that hold the statements behind some facts, with proofs, as a CAR.
 * @throws Failure (no) if there are none, or no graph holds any of them.
 */
export async function exportEvidence(
  io: Pick<Io, 'stderr'>,
  client: ApiClient,
  facts: readonly Facts[],
  path: string,
): Promise<void> {
  const statements = [...new Set(facts.flatMap((each) => [...statementsIn(each).keys()]))];
  if (statements.length === 0)
    failNo(
      'No statement says anything of what the template asks for, so there is nothing to export. Leave out --car.',
    );
  const asked = statements.slice(0, mostStatements);
  const held = await Array.fromAsync(mapConcurrent(asked, askedAtOnce, (id) => graphsOf(client, id)));
  const graphs = [...new Set(held.flat())].sort();
  const without = held.filter((one) => one.length === 0).length;
  if (graphs.length === 0)
    failNo(
      'No graph holds these statements, so there is nothing to export. Put them into a graph: cairn ingest FILE --graph GRAPH',
    );
  if (without > 0) say(io, `${counted(without, 'statement')} in no graph cannot be in the CAR.`);
  if (statements.length > asked.length)
    say(io, `Only the graphs of ${mostStatements} statements were looked up.`);
  const query = new URLSearchParams({
    graph_ids: graphs.join(','),
    ...{ include_context: 'true', include_blobs: 'true', include_proofs: 'true' },
  });
  const headers = { accept: 'application/vnd.ipld.car', 'accept-encoding': 'identity' };
  const response = await client.send('GET', `/manifest/v1?${query}`, { headers });
  await writeWhole(path, answerBytes(response));
}

async function graphsOf(client: ApiClient, id: string): Promise<readonly string[]> {
  const response = await client.send('GET', `/cid/v1/find/${encodeURIComponent(id)}?limit=20`);
  const { statements } = await answerJson(response, findings);
  return statements.filter(({ role }) => role === 'self').flatMap(({ graph_ids: ids }) => ids);
}
