import { isVisible } from '../../access/visibility.ts';
import { encodeCollection } from '../blobs/iroh-collection.ts';
import type { KnownBytes, SameBytes } from '../blobs/same-bytes.ts';
import type { Folders } from '../folders/folders.ts';
import { cidOf, cidUrn, codecs } from '../identifiers/cid.ts';
import type { StatementScope } from '../ports.ts';
import type { Referring, StatementIndex } from '../statements/questions.ts';
import type { Membership, ReferringStatement } from '../statements/rows.ts';
import { statementNode } from './edges.ts';

/** Smaller artefacts, such as the empty log of two pipelines, are equal by chance. So they are drawn once in each graph. */
const leastShared = 8;

/** It is equal by chance, too. */
const emptyFolder = cidUrn(cidOf(codecs.hashSequence, encodeCollection([]).root));

/** The identifiers that one answer may ask about. */
const mostAsked = 20_000;

/** What is left of the answers of an index. */
export type Selection = (answers: readonly Referring[]) => Promise<readonly Referring[]>;

/**
 * The nodes of a lineage: one for all names of the same bytes, and for bytes that are equal by chance one in each graph. Such
 * a node is called after the artefact and the graph: `urn:cid:…#<graph>`.
 */
export class OneNode {
  readonly #sameBytes: Pick<SameBytes, 'withReferences'>;
  readonly #scope: StatementScope;
  readonly #known = new Map<string, KnownBytes | null>();
  readonly #renamed = new WeakMap<ReferringStatement, ReferringStatement>();
  #start: string | undefined;

  constructor(sameBytes: Pick<SameBytes, 'withReferences'>, scope: StatementScope) {
    this.#sameBytes = sameBytes;
    this.#scope = scope;
  }

  /** @returns the node of what was asked for. It stands for itself in all graphs. */
  async startAt(id: string): Promise<string> {
    const [artefact, graph] = splitNode(id);
    await this.#learn([artefact]);
    const name = this.#known.get(artefact)?.names[0] ?? artefact;
    this.#start = graph === undefined ? name : `${name}#${graph}`;
    return this.#start;
  }

  /** All identifiers of a node. */
  namesOf(node: string): readonly string[] {
    const [artefact] = splitNode(node);
    return this.#known.get(artefact)?.names ?? [artefact];
  }

  /** The statement that a lineage starts from, with the nodes of what it refers to. @param graph its first visible one. */
  async startStatement(
    statement: ReferringStatement,
    graph: string | undefined,
  ): Promise<ReferringStatement> {
    await this.#learn(statement.references.map(({ identifier }) => identifier));
    return this.#withNodes(statement, graph);
  }

  /** The index by node. @param selected Default: all answers are found. */
  index(
    index: Pick<StatementIndex, 'referringTo'>,
    selected: Selection = async (answers) => answers,
  ): Pick<StatementIndex, 'referringTo'> {
    return {
      referringTo: async ({ identifiers: nodes, ...query }, scope) => {
        const identifiers = [...new Set(nodes.flatMap((node) => this.namesOf(node)))];
        const all = await index.referringTo({ ...query, identifiers }, scope);
        // Each is a round to the store.
        const [answers] = await Promise.all([selected(all), this.#learn(identifiersIn(all))]);
        const found = new Map(identifiers.map((id, at) => [id, answers[at]]));
        const named = (node: string) => this.namesOf(node).flatMap((name) => found.get(name) ?? []);
        return nodes.map((node) => this.#answer(node, named(node)));
      },
    };
  }

  /** Folders by node. A file that is equal by chance is the one in the graph of its folder. */
  folders(folders: Folders): Folders {
    return {
      ...folders,
      membersOf: async (node, index, scope) => {
        const found = await folders.membersOf(splitNode(node)[0], index, scope);
        if (!found) return undefined;
        await this.#learn(found.stated.map(({ member }) => member));
        const stated = found.stated.map((one) => ({
          ...one,
          member: this.#nodeOf(one.member, graphOf(one.statement, this.#scope)),
        }));
        return { ...found, stated };
      },
    };
  }

  #answer(node: string, answers: readonly Referring[]): Referring {
    const [, graph] = splitNode(node);
    const seen = new Set<string>();
    const found = answers.flatMap((answer) => answer.found);
    return {
      isCut: answers.some(({ isCut }) => isCut),
      found: found.flatMap(({ role, statement }) => {
        if (graph !== undefined && graphOf(statement, this.#scope) !== graph) return [];
        const key = `${role} ${statementNode(statement)}`;
        if (answers.length > 1 && seen.has(key)) return [];
        seen.add(key);
        return [{ role, statement: this.#rename(statement) }];
      }),
    };
  }

  async #learn(identifiers: Iterable<string>): Promise<void> {
    const unknown = new Set<string>();
    for (const id of identifiers) if (!this.#known.has(id) && unknown.size < mostAsked) unknown.add(id);
    if (unknown.size === 0) return;
    const found = await this.#sameBytes.withReferences([...unknown]);
    for (const id of unknown) {
      const bytes = found.get(id) ?? null;
      this.#known.set(id, bytes);
      for (const name of bytes?.names ?? []) this.#known.set(name, bytes);
    }
  }

  #rename(statement: ReferringStatement): ReferringStatement {
    if (!statement.references.some(({ identifier }) => this.#known.get(identifier))) return statement;
    const graph = graphOf(statement, this.#scope);
    const renamed = this.#renamed.get(statement) ?? this.#withNodes(statement, graph);
    this.#renamed.set(statement, renamed);
    return renamed;
  }

  #withNodes(statement: ReferringStatement, graph: string | undefined): ReferringStatement {
    const seen = new Set<string>();
    const references = statement.references.flatMap(({ identifier, role }) => {
      const node = this.#nodeOf(identifier, graph);
      const key = `${role} ${node}`;
      if (seen.has(key)) return [];
      seen.add(key);
      return [{ identifier: node, role }];
    });
    return {
      ...statement,
      references,
      // Rows of the embedded store read it on access, and a spread leaves that out.
      get memberships() {
        return statement.memberships;
      },
    };
  }

  #nodeOf(identifier: string, graph: string | undefined): string {
    const bytes = this.#known.get(identifier);
    if (!bytes) return identifier;
    const [name] = bytes.names;
    const isByChance = bytes.size < leastShared || name === emptyFolder;
    const isShared = !isByChance || this.#scope.graphId !== null || name === this.#start;
    return isShared || graph === undefined ? name : `${name}#${graph}`;
  }
}

function* identifiersIn(answers: readonly Referring[]): Generator<string> {
  for (const { found } of answers)
    for (const { statement } of found)
      for (const { identifier } of statement.references)
        if (identifier.startsWith('urn:cid:')) yield identifier;
}

/** The identifier of a node, and the graph in which it is drawn if it is drawn in each. */
export function splitNode(node: string): [identifier: string, graph?: string] {
  const at = node.startsWith('urn:cid:') ? node.indexOf('#') : -1;
  return at === -1 ? [node] : [node.slice(0, at), node.slice(at + 1)];
}

/** The first graph of a statement that the reader sees. */
function graphOf(
  { memberships }: { readonly memberships: readonly Membership[] },
  { visibility }: StatementScope,
): string | undefined {
  return memberships.find(({ projectId }) => isVisible(projectId, visibility))?.graphId;
}
