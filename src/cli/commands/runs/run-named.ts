import { type RunAnswer, runs } from '../../../contract/integrity/runs.ts';
import { runTime } from '../../../contract/words/runs.ts';
import { shortId } from '../../../contract/words/text.ts';
import { cidIn } from '../../../domain/integrity/identifiers/cid.ts';
import { type ApiClient, answerJson } from '../../client/api-client.ts';
import { nameText } from '../../client/graphs.ts';
import { failNo, failUsage } from '../../terminal/failure.ts';

const pageSize = 200;
/** The newest runs whose ids are compared with a part of one. */
const mostLooked = 1_000;

/**
 * The id of the run that a person names by its id, a start or an end of that, or by its name.
 * @throws Failure (no) if there is none, (usage) if several runs are meant.
 */
export async function runNamed(client: ApiClient, text: string): Promise<string> {
  if (text.trim() === '') failUsage('The name of the run is empty.');
  if (cidIn(text)) return text;
  const query = new URLSearchParams({ name: text, limit: String(pageSize) });
  const found = (await answerJson(await client.send('GET', `/runs/v1?${query}`), runs)).runs;
  // The list goes by the times of statements, which have whole seconds.
  const [newest] = found
    .filter(({ name, trust }) => name === text && trust.state !== 'retracted')
    .toSorted((one, other) => ((runTime(one) ?? '') < (runTime(other) ?? '') ? 1 : -1));
  const id = newest?.id ?? (await byPart(client, text));
  if (id !== undefined) return id;
  const names = [...new Set(found.map(({ name }) => name ?? ''))];
  if (names.length === 1 && found[0]) return found[0].id;
  if (names.length === 0) failNo(`No run is called "${text}". "cairn runs" shows the newest.`);
  const list = names.slice(0, 20).map((name) => `  ${nameText(name)}\n`);
  return failUsage(
    `Several names of runs start with "${text}". Write one of them:\n${list.join('').trimEnd()}`,
  );
}

/** Among the newest runs, by what `cairn runs` prints of an id, or by its start or end. */
async function byPart(client: ApiClient, text: string): Promise<string | undefined> {
  const [start = '', end = text] = text.includes('…') ? text.split('…') : [text];
  if (!/^[a-z2-7]*$/.test(start) || !/^[a-z2-7]{6,}$/.test(end)) return undefined;
  const fits = ({ id }: RunAnswer) => {
    const bare = id.replace('urn:cid:', '');
    return text.includes('…')
      ? bare.startsWith(start) && bare.endsWith(end)
      : bare.startsWith(text) || bare.endsWith(text);
  };
  const found = new Set<string>();
  let cursor: string | undefined;
  for (let looked = 0; looked < mostLooked; looked += pageSize) {
    const query = new URLSearchParams({ limit: String(pageSize), ...(cursor && { cursor }) });
    const page = await answerJson(await client.send('GET', `/runs/v1?${query}`), runs);
    for (const run of page.runs.filter(fits)) found.add(run.id);
    cursor = page.next_cursor;
    if (cursor === undefined) break;
  }
  if (found.size > 1) {
    const list = [...found].slice(0, 20).map((id) => `  ${shortId(id)}\n`);
    failUsage(`Several runs have such an id. Write more of it:\n${list.join('').trimEnd()}`);
  }
  return [...found][0];
}
