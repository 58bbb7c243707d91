import type { Standing, Standings } from '../../contract/integrity/log.ts';
import { allLoggedWords, wholeLoggedWords } from '../../contract/words/logged.ts';
import { bareId } from '../../contract/words/text.ts';
import { askJson } from './api.ts';
import { element } from './element.ts';
import { localTime } from './times.ts';

/** While the log is late, the page asks again after twice the time. It does not wait for answers, which would hold a connection. */
const firstPauseMs = 500;
const longestPauseMs = 5_000;
const mostAsks = 100;
const mostStatements = 500;

const time = (iso: string) => localTime(iso, 'medium');

interface Asked {
  readonly statements?: readonly string[];
  readonly graph_id?: string | null;
  readonly graphs?: readonly string[];
}

/** What the log has of statements. The words change by themselves when the log has more. */
export async function statementsLogged(
  ids: readonly string[],
  graphId: string | null,
  more: () => readonly Node[] = () => [],
): Promise<HTMLElement | undefined> {
  const asked = { statements: ids.slice(0, mostStatements).map(bareId), graph_id: graphId };
  return await shownStandings(asked, ({ statements }) => {
    const words = allLoggedWords(statements, time);
    const isLogged = statements.every(({ state }) => state === 'logged');
    return words === undefined ? [] : [`${words} `, ...(isLogged ? more() : [])];
  });
}

/** The same about the log of a graph. */
export async function graphLogged(id: string): Promise<HTMLElement | undefined> {
  return await shownStandings({ graphs: [id] }, ({ graphs }) =>
    graphs.flatMap((graph) => wholeLoggedWords(graph, time) ?? []),
  );
}

/** Undefined if the service says nothing. */
async function shownStandings(
  asked: Asked,
  contentOf: (standings: Standings) => readonly (Node | string)[],
): Promise<HTMLElement | undefined> {
  const shown = element('p', { class: 'logged', role: 'status' });
  const asking = answers(asked);
  const first = (await asking.next()).value;
  const content = first ? contentOf(first) : [];
  if (content.length === 0) return undefined;
  shown.append(...content);
  void (async () => {
    for await (const next of asking) {
      if (!shown.isConnected) return;
      shown.replaceChildren(...contentOf(next));
    }
  })();
  return shown;
}

/** The answers until nothing waits. None if the service cannot tell. */
async function* answers(asked: Asked): AsyncGenerator<Standings, undefined> {
  let pauseMs = firstPauseMs;
  for (let asks = 0; asks < mostAsks; asks += 1) {
    const standings = await askStandings(asked).catch(() => undefined);
    if (!standings) return;
    yield standings;
    if (![...standings.statements, ...standings.graphs].some(isWaiting)) return;
    await new Promise((resume) => setTimeout(resume, pauseMs));
    pauseMs = Math.min(2 * pauseMs, longestPauseMs);
  }
}

async function askStandings(asked: Asked): Promise<Standings> {
  const headers = { 'content-type': 'application/json' };
  return await askJson<Standings>('/log/v1/standings', {
    method: 'POST',
    headers,
    body: JSON.stringify(asked),
  });
}

function isWaiting({ state }: Pick<Standing, 'state'>): boolean {
  return state === 'waiting';
}
