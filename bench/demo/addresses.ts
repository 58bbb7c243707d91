import { cidUrn } from '../../src/domain/integrity/identifiers/cid.ts';
import type { DemoAgent } from './agents.ts';
import { houses, project } from './graphs.ts';
import type { Source } from './sources.ts';
import type { Demo } from './statements.ts';
import type { StoredDemo } from './store-demo.ts';

/** A file with several imports, so that its computation has several inputs. */
const example = 'src/domain/integrity/lineage/trace.ts';

interface Filled {
  readonly demo: Demo;
  readonly stored: StoredDemo;
  readonly sources: readonly Source[];
  /** The CID of the governed subject. */
  readonly subject: string;
  readonly agents: readonly DemoAgent[];
  /** Whether the API answers callers with a token only. */
  readonly needsToken: boolean;
}

/** Addresses and commands to try. */
export function addresses(url: string, filled: Filled): string {
  const { demo, stored, sources, subject, agents, needsToken } = filled;
  const { statementIds } = stored;
  const source = sources.find(({ path }) => path === example) ?? sources[0];
  if (!source) throw new Error('There are no sources to make a demo from.');
  const made = cidUrn(source.output.cid);
  const id = statementIds.release[demo.statements.release.findIndex(({ output }) => output === made)] ?? '';
  const pages = [
    ['The start page: recent runs, graphs and a search', `${url}/ui`],
    [`The lineage of ${source.output.path}, as a page`, `${url}/ui/lineage/${source.output.cid.text}`],
    ['What was declared, reviewed and certified', `${url}/ui/lineage/${subject}`],
    ['Models of house prices, recorded step by step', `${url}/ui/graph/${houses.graph_id}`],
    ['The console, with an agent and what it did', `${url}/ui/agents/${agents[0]?.id}`],
    ['API, to read and try', `${url}/docs`],
  ];
  const commands = [
    ['Health', `curl ${url}/health/v1`],
    ['Graphs of the project', `curl ${url}/graph/v1/${project.graph_id}`],
    ['How it was made, as a statement', `curl ${url}/statements/v1/id/${id}`],
    ['The same as N-Quads', `curl -H 'Accept: application/n-quads' ${url}/statements/v1/id/${id}`],
    [`A source file (${source.path})`, `curl ${url}/store/v1/blob/${source.cid.text}`],
    ['What Node made of it', `curl ${url}/store/v1/text/${source.output.cid.text}`],
    ['The collection of outputs', `curl ${url}/store/v1/iroh-collection/${demo.collection.text}`],
    ['Verify a statement', `CAIRN_URL=${url} npm run --silent cairn -- verify ${id}`],
  ];
  const login = ['Sign in for commands', `CAIRN_URL=${url} npm run --silent cairn -- login`];
  const rows = [...pages, ...(needsToken ? [login] : commands)];
  return rows.map(([what, how]) => `${what}\n  ${how}\n`).join('');
}
