import { namesAnswer, namesBody } from '../../../contract/integrity/findings.ts';
import {
  type FoundThingsAnswer,
  foundThings,
  type SearchGroup,
  searchGroups,
  type ThingAnswer,
  thingQuery,
} from '../../../contract/integrity/search.ts';
import { bareId } from '../../../contract/words/text.ts';
import { type CallerName, known } from '../../../domain/access/access.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { scopeFor } from '../../../domain/integrity/access/statement-scope.ts';
import { cidIn, codecs, isStatementCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { NameIndex } from '../../../domain/integrity/names/name-index.ts';
import type { GraphStore, Page } from '../../../domain/integrity/ports.ts';
import {
  type FindThingsPorts,
  type FoundThing,
  findThings,
} from '../../../domain/integrity/search/find-things.ts';
import { pastedAgent } from '../../../domain/integrity/search/pasted.ts';
import type { App } from '../../../platform/http/app.ts';
import { nextJson, pageRequest } from '../../answering.ts';
import { errorAnswer, jsonAnswer } from '../../answers.ts';
import { parsedJsonBody, type RequestLimits } from '../../parsed-request.ts';
import { operation } from '../operation.ts';

/** Agents whose name, handle, id or DID fits, and that the viewer may see. */
export type AgentSearch = (
  text: string,
  page: Page,
  viewer: CallerName,
) => Promise<{
  readonly agents: readonly { readonly id: string; readonly name: string }[];
  readonly next?: string;
}>;

interface ThingRoutes extends FindThingsPorts, NameRoutes {
  readonly agentSearch: AgentSearch;
}

/** What is found by name, and what things are called. */
export function thingRoutes(app: App, ports: ThingRoutes): void {
  nameOperation(app, ports);
  operation(app, 'GET /search/v1', {
    access: known,
    tag: 'Search',
    summary: 'Find things by any part of their names, or by an identifier or digest',
    description:
      'Names are what metadata says, and the paths of files in recorded folders. Answers in groups, the best first: the name itself, names that start so, names with a word that starts so, and all others; of these the one with the newest name. Every thing is found once, by all its names that the caller may see. Words of one or two characters are found at the start of a word only. Case, width and accents do not matter, double quotes and * separate words, and if nothing is found, other separators do, too. Identifiers: a CID or UUID with or without urn:cid: or urn:uuid:, a CID in capitals or after ipfs://, a DID, or a digest in hex, alone or after sha256:, blake3:, sha512:, git: or md5:, also in quotes or in the address of a page. A group goes on with group and its next_cursor. A page may be shorter than its limit, or empty.',
    query: thingQuery,
    answers: { 200: jsonAnswer('What is found and visible to the caller', foundThings) },
    handle: async ({ answer, principal, query }) => {
      const { q, group } = query;
      if (query.cursor !== undefined && group === undefined)
        throw new ServiceError(
          'invalid_request',
          'This cursor does not belong to this list. Name the group that it came with, too.',
        );
      const scope = await scopeFor(ports.graphs, principal, null);
      const page = pageRequest(query);
      const asked = searchGroups.filter((one) => (group ?? one) === one);
      const found: { -readonly [Group in SearchGroup]?: FoundThingsAnswer[Group] } = {};
      if (group !== 'agents') {
        const things = await findThings(ports, q, { ...page, group: group ?? null }, scope);
        for (const [name, { things: items, ...more }] of things)
          found[name] = { items: items.map(thingJson), ...nextJson(more) };
      }
      if (asked.includes('agents')) {
        const { agents, ...more } = await ports.agentSearch(pastedAgent(q), page, principal);
        found.agents = { items: agents.map(agentJson), ...nextJson(more) };
      }
      return answer(200, found);
    },
  });
}

function thingJson({ id, name, otherNames, type, graph, folder, time }: FoundThing): ThingAnswer {
  return {
    id,
    name,
    other_names: [...otherNames],
    type,
    page: pageOf(id, type),
    graph: graph && { graph_id: graph.graphId, name: graph.name },
    ...(folder && { folder: { collection: bareId(folder.folder), name: folder.name, path: folder.path } }),
    timestamp: time === null ? null : new Date(time).toISOString(),
  };
}

function pageOf(id: string, type: string): string {
  if (type === 'graph') return `/ui/graph/${bareId(id)}`;
  const cid = cidIn(id);
  const isStatement = cid && (isStatementCid(cid, codecs.rdfc) || /^[A-Z]/.test(type));
  return `/ui/${isStatement ? 'statement' : 'lineage'}/${encodeURIComponent(bareId(id))}`;
}

function agentJson({ id, name }: { readonly id: string; readonly name: string }): ThingAnswer {
  const page = `/ui/agents/${encodeURIComponent(id)}`;
  return { id, name, other_names: [], type: 'agent', page, graph: null, timestamp: null };
}

/** More than so many identifiers need. */
const bodyLimit = 1 << 20;

interface NameRoutes {
  readonly names: Pick<NameIndex, 'of'>;
  readonly graphs: Pick<GraphStore, 'get'>;
  readonly limits: RequestLimits;
}

function nameOperation(app: App, { names, graphs, limits }: NameRoutes): void {
  operation(app, 'POST /names/v1', {
    access: known,
    audit: 'none',
    tag: 'Search',
    summary: 'Read the names of things',
    description:
      'The name of a thing is what its metadata says: the first text among name, title, label, path, filename and step, in one line of at most 200 characters. The newest MetadataRegistration that the caller may see counts, by its timestamp. Identifiers come back as statements write them, and those without a name are left out. Nothing is stored.',
    body: { 'application/json': { schema: namesBody } },
    answers: {
      200: jsonAnswer('The name of each identifier that has one', namesAnswer),
      404: errorAnswer('The graph does not exist'),
    },
    handle: async ({ context, answer, principal }) => {
      const { ids, graph_id } = await parsedJsonBody(context, namesBody, limits, bodyLimit);
      const scope = await scopeFor(graphs, principal, graph_id ?? null);
      return answer(200, { names: Object.fromEntries(await names.of(ids, scope)) });
    },
  });
}
