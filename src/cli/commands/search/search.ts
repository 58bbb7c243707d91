import type { Command } from 'commander';
import {
  type FoundThingsAnswer,
  foundThings,
  type SearchGroup,
  searchGroups,
  type ThingAnswer,
} from '../../../contract/integrity/search.ts';
import { searchAdvice } from '../../../contract/words/search.ts';
import { pathEnd, shortId } from '../../../contract/words/text.ts';
import { type ApiClient, answerJson, openClient } from '../../client/api-client.ts';
import { readClientSettings } from '../../client/client-settings.ts';
import { nameText } from '../../client/graphs.ts';
import { cidOfPath } from '../../client/identifier-or-file.ts';
import { failNo, failUsage } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { indented, printableLine, say, table, writeText } from '../../terminal/output.ts';
import { wholeNumber } from '../../terminal/whole-number.ts';

const notes = `
Finds files, runs, people, graphs and agents by any part of their names, the best first; files of recorded folders by their
paths, too. All words must be in a name; case and accents do not matter. Words of one or two characters are found at the start
of a word. Also finds a whole CID, a UUID, a DID, the address of a page, or a digest in hex: sha256:…, blake3:…, sha512:…,
md5:…, or that of a git blob. A file or folder that exists is hashed and found by its bytes.

Examples:
  $ cairn search trace
  $ cairn search lineage trace.js
  $ cairn search model.safetensors
  $ cairn search sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08`;

interface Flags {
  readonly limit: number;
  readonly json?: true;
}

export function searchCommand(program: Command, io: Io): void {
  program
    .command('search')
    .description('find things by any part of their names, or by an identifier or hash')
    .argument('<query...>', 'parts of a name, an identifier, a digest, or a file')
    .option('--limit <n>', 'the most things of each group', wholeNumber(1, mostListed), 10)
    .option('--json', 'print the answer of the service as a JSON object')
    .addHelpText('after', notes)
    .action(async (words: string[], { limit, json }: Flags) => {
      const client = openClient(readClientSettings(io));
      const text = words.join(' ');
      if (text.trim() === '') failUsage('Name something to search for, such as a part of a name.');
      const cid = words.length === 1 ? await cidOfPath(io, text) : undefined;
      const byBytes = cid && (await search(client, cid.text, limit));
      const found = byBytes && !isEmpty(byBytes) ? byBytes : await search(client, text, limit);
      await writeText(io, json ? indented(found) : tables(found));
      if (isEmpty(found))
        failNo(`Nothing that you may see is found by "${printableLine(text)}". ${searchAdvice(text)}`.trim());
      for (const group of searchGroups)
        if (found[group]?.next_cursor !== undefined)
          say(io, `There are more ${group}. Write more of the name, or choose a larger --limit.`);
    });
}

const mostListed = 100;

async function search(client: ApiClient, q: string, limit: number): Promise<FoundThingsAnswer> {
  const query = new URLSearchParams({ q, limit: String(limit) });
  return await answerJson(await client.send('GET', `/search/v1?${query}`), foundThings);
}

function isEmpty(found: FoundThingsAnswer): boolean {
  return searchGroups.every((group) => (found[group]?.items.length ?? 0) === 0);
}

function tables(found: FoundThingsAnswer): string {
  const parts = searchGroups.flatMap((group) => {
    const items = found[group]?.items ?? [];
    return items.length > 0 ? [groupTable(group, items)] : [];
  });
  return parts.join('\n');
}

const longestName = 60;

function groupTable(group: SearchGroup, items: readonly ThingAnswer[]): string {
  const hasFolders = items.some(({ folder }) => folder !== undefined);
  const rows = items.map(({ name, type, folder, graph, timestamp, id }) => [
    name === null ? '-' : printableLine(pathEnd(name, longestName)),
    type,
    ...(hasFolders
      ? [folder ? (folder.name === null ? shortId(folder.collection) : nameText(folder.name, 24)) : '-']
      : []),
    nameText(graph?.name ?? '-', 24),
    timestamp?.slice(0, 16).replace('T', ' ') ?? '-',
    id,
  ]);
  const heads = [group.toUpperCase(), 'WHAT', ...(hasFolders ? ['FOLDER'] : []), 'GRAPH', 'WHEN', 'ID'];
  return table([heads, ...rows]);
}
