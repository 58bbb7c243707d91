import { encodeCollection } from '../../src/domain/integrity/blobs/iroh-collection.ts';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { jcs } from '../../src/domain/integrity/identification/jcs.ts';
import { type Cid, cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { actors } from './actors.ts';
import { type GraphName, graphs, project } from './graphs.ts';
import type { Content, Source } from './sources.ts';

type Statement = Readonly<Record<string, unknown>>;

/** Everything that the demo stores. */
export interface Demo {
  readonly blobs: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly documents: readonly object[];
  /** When the newest content was changed. */
  readonly latest: string;
  readonly statements: Readonly<Record<GraphName, readonly Statement[]>>;
  /** The iroh collection of all outputs. */
  readonly collection: Cid;
}

/** The lineage of this repository: what its files are, what was made of them, and what governs them. */
export class DemoStatements {
  readonly #blobs = new Map<string, { name: string; bytes: Uint8Array }>();
  readonly #documents = new Map<string, object>();
  readonly #statements: Record<GraphName, Statement[]> = {
    sources: [],
    build: [],
    release: [],
    governance: [],
  };

  make(sources: readonly Source[], governing: readonly Content[]): Demo {
    const latest =
      [...sources, ...governing]
        .map(({ changedAt }) => changedAt)
        .toSorted()
        .at(-1) ?? '';
    const stripStep = this.#named(latest, {
      name: 'Strip types',
      function: 'stripTypeScriptTypes of node:module',
      mode: 'strip',
    });
    const machine = this.#named(latest, {
      name: `Node.js on ${process.platform} ${process.arch}`,
      runtime: `Node.js ${process.version}`,
      platform: process.platform,
      architecture: process.arch,
    });
    for (const source of sources) {
      this.#describe('sources', actors.developer, source);
      this.#computation(source, stripStep, machine);
      this.#describe('build', actors.builder, source.output);
    }
    const tree = this.#collect('sources', actors.developer, sources, latest);
    const collection = this.#collect(
      'build',
      actors.builder,
      sources.map(({ output }) => output),
      latest,
    );
    const build = (type: string, fields: Statement) =>
      this.#add('build', type, actors.builder, latest, fields);
    build('ComputationRegistration', {
      computation: this.#named(latest, { name: 'Collect', format: 'iroh collection' }),
      input: sources.map(({ output }) => cidUrn(output.cid)),
      output: collection,
      operatedBy: actors.builder,
      executedOn: machine,
    });
    const store = this.#named(latest, { name: 'Embedded store of the demo', path: 'data/demo' });
    build('StorageRegistration', { data: collection, storedOn: store, operatedBy: actors.builder });
    this.#govern(governing, tree, collection, latest);
    return {
      blobs: [...this.#blobs.values()],
      documents: [...this.#documents.values()],
      latest,
      statements: this.#statements,
      collection: this.#collectionCid(sources.map(({ output }) => output)),
    };
  }

  #govern(governing: readonly Content[], tree: string, collection: string, latest: string): void {
    const entity = `urn:uuid:${project.graph_id}`;
    const add = (type: string, at: string, fields: Statement) =>
      this.#add('governance', type, actors.developer, at, fields);
    add('EntityRegistration', latest, { entity });
    add('MetadataRegistration', latest, {
      subject: entity,
      metadata: this.#document({ name: project.name }),
    });
    add('AssociationRegistration', latest, {
      subject: entity,
      association: [tree, collection],
      type: 'includes',
    });
    this.#named(latest, { id: entity, name: project.name });
    for (const document of governing) {
      this.#describe('governance', actors.developer, document);
      add('GovernanceRegistration', document.changedAt, { subject: tree, document: cidUrn(document.cid) });
    }
  }

  /** A file as data with its metadata. */
  #describe(graph: GraphName, registeredBy: string, content: Content): void {
    const { path, bytes, cid, mediaType, changedAt } = content;
    this.#blob(path, bytes);
    const lines = bytes.toString().split('\n').length - 1;
    const metadata = this.#document({ path, size: bytes.length, lines, mediaType });
    this.#add(graph, 'DataRegistration', registeredBy, changedAt, { data: cidUrn(cid) });
    this.#add(graph, 'MetadataRegistration', registeredBy, changedAt, { subject: cidUrn(cid), metadata });
  }

  #computation({ imports, output, ...source }: Source, computation: string, executedOn: string): void {
    const inputs = [source, ...imports].map(({ cid }) => cidUrn(cid));
    const [first] = inputs;
    const graph = /^(?:test|bench)\//.test(source.path) ? 'build' : 'release';
    this.#add(graph, 'ComputationRegistration', actors.builder, source.changedAt, {
      computation,
      input: inputs.length === 1 ? first : inputs,
      output: cidUrn(output.cid),
      operatedBy: actors.builder,
      executedOn,
    });
  }

  /** A collection of files, as blobs and as a statement. */
  #collect(graph: GraphName, registeredBy: string, files: readonly Content[], at: string): string {
    const { metadata, root } = encodeCollection(
      files.map(({ path, cid }) => ({ name: path, digest: cid.digest })),
    );
    this.#blob(`${graph} collection metadata`, metadata);
    this.#blob(`${graph} collection`, root);
    const subject = cidUrn(cidOf(codecs.hashSequence, root));
    const association = files.map(({ cid }) => cidUrn(cid));
    const name = `${graphs[graph].name} as a collection`;
    const described = this.#document({ name, files: files.length, format: 'iroh collection' });
    this.#add(graph, 'AssociationRegistration', registeredBy, at, { subject, association, type: 'includes' });
    this.#add(graph, 'MetadataRegistration', registeredBy, at, { subject, metadata: described });
    return subject;
  }

  #collectionCid(files: readonly Content[]): Cid {
    const entries = files.map(({ path, cid }) => ({ name: path, digest: cid.digest }));
    return cidOf(codecs.hashSequence, encodeCollection(entries).root);
  }

  #blob(name: string, bytes: Uint8Array): void {
    this.#blobs.set(cidOf(codecs.raw, bytes).text, { name, bytes });
  }

  #document(value: object): string {
    const cid = cidOf(codecs.jcs, jcs(value));
    this.#documents.set(cid.text, value);
    return cidUrn(cid);
  }

  /** A document that describes itself. */
  #named(at: string, value: object): string {
    const metadata = this.#document(value);
    this.#add('governance', 'MetadataRegistration', actors.developer, at, { subject: metadata, metadata });
    return metadata;
  }

  #add(graph: GraphName, type: string, registeredBy: string, timestamp: string, fields: Statement): void {
    const statement = { '@context': ownContextUrl, '@type': type, registeredBy, timestamp, ...fields };
    this.#statements[graph].push(statement);
  }
}
