import { ownContextUrl } from '../../domain/integrity/contexts/own.ts';
import { jcs } from '../../domain/integrity/identification/jcs.ts';
import { type Cid, cidOf, cidUrn, codecs } from '../../domain/integrity/identifiers/cid.ts';
import { statementTime } from '../../domain/integrity/identifiers/timestamp.ts';
import { type RunFacts, resultOf, runDocument } from '../../domain/integrity/runs/run-document.ts';
import { blobInMemory, type KnownBlob } from '../client/upload-blob.ts';

/** A file or folder; without a CID if it does not exist yet. */
export interface Item {
  readonly name: string;
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly isOutside?: boolean;
  readonly cid: Cid | null;
  readonly survey: { readonly files: number; readonly bytes: number };
}

export interface Run {
  readonly did: string;
  readonly program: Item | null;
  readonly inputs: readonly Item[];
  /** A run that failed may have none. */
  readonly outputs: readonly Item[];
  readonly facts: RunFacts & { readonly name: string };
  /** When it ended. */
  readonly ended: Date;
}

type Statement = Readonly<Record<string, unknown>>;
export type Identify = (statement: Statement) => Promise<Statement & { readonly '@id': string }>;

export interface Described {
  /** The id of the statement about the computation. */
  readonly computation: string;
  readonly statements: readonly Statement[];
  /** In their RFC 8785 form. */
  readonly documents: readonly KnownBlob[];
}

/** The statements about a run, and the documents that they refer to. */
export async function describeRun(run: Run, identify: Identify): Promise<Described> {
  const { did, program, inputs, outputs, facts, ended } = run;
  const { name, command } = facts;
  const common = { '@context': ownContextUrl, registeredBy: did, timestamp: statementTime(ended) };
  const documents: KnownBlob[] = [];
  const document = (value: object): string => {
    const bytes = Buffer.from(jcs(value));
    const cid = cidOf(codecs.jcs, bytes);
    documents.push(blobInMemory(cid, bytes));
    return cidUrn(cid);
  };
  const described = (subject: string, value: object): Statement => {
    const metadata = document(value);
    return { ...common, '@type': 'MetadataRegistration', subject, metadata };
  };

  const used = program ? urnOf(program) : document({ name, ...(command && { command }) });
  const end = outputs.length > 0 ? undefined : endOf(facts);
  const sources = [...inputs, ...(program ? [program] : [])];
  const items = [...sources, ...outputs];
  const sourceCids = new Set(sources.map(urnOf));
  const isCopy = (output: Item) => sourceCids.has(urnOf(output));
  const computation = await identify({
    ...common,
    '@type': 'ComputationRegistration',
    computation: used,
    // A computation has an input. Without a declared one it is the program.
    input: oneOrMany(inputs.length > 0 ? inputs.map(urnOf) : [used]),
    output: oneOrMany(end ? [document(end)] : outputs.map(urnOf)),
    operatedBy: did,
  });
  const others = [
    { ...common, '@type': 'DataRegistration', data: oneOrMany(items.map(urnOf)) },
    ...sources.map((item) => described(urnOf(item), documentOf(item))),
    ...outputs.map((item) =>
      described(urnOf(item), { ...documentOf(item), ...(isCopy(item) && { copy: true }) }),
    ),
    described(computation['@id'], runDocument(facts)),
    ...(end ? [described(document(end), end)] : []),
  ];
  const statements = [computation, ...(await Promise.all(others.map(identify)))];
  return { computation: computation['@id'], statements, documents };
}

/** A computation has an output. Of a run that failed before it wrote anything, it is a document that says so. */
function endOf({ name, started, exit_code, signal, error, ...rest }: RunFacts): object {
  const said = Object.entries({ started, exit_code, signal, error }).filter(([, one]) => one !== undefined);
  const result = resultOf({ ...rest, ...Object.fromEntries(said) });
  return { name: `${name}: ${result}`, ...Object.fromEntries(said) };
}

function documentOf({ name, path, kind, isOutside, survey: { files, bytes } }: Item): object {
  return {
    name,
    path,
    size: bytes,
    ...(kind === 'folder' && { files }),
    ...(isOutside && { outside: true }),
  };
}

const unknown = 'urn:cid:(';

/** The id of a statement that depends on what the command will write. */
const preliminaryId = `${unknown}known after the command)`;

function urnOf({ cid, path }: Item): string {
  return cid ? cidUrn(cid) : `${unknown}the CID of ${path} after the command)`;
}

/** Whether a statement refers to something that does not exist yet. */
function isPreliminary(statement: Statement): boolean {
  return JSON.stringify(statement).includes(unknown);
}

function oneOrMany(values: readonly string[]): string | readonly string[] {
  const [first = '', ...others] = new Set(values);
  return others.length === 0 ? first : [first, ...others];
}

// JSON-LD is imported only when needed, because loading it takes time.

/** Computes ids on this machine. */
export async function openIdentifying(): Promise<Identify> {
  const { LocalIdentifier } = await import('../client/local-identifier.ts');
  const identifier = new LocalIdentifier([]);
  return async (statement) => {
    if (isPreliminary(statement)) return { ...statement, '@id': preliminaryId };
    const { jcs } = await identifier.identify(Buffer.from(JSON.stringify(statement)));
    return JSON.parse(jcs);
  };
}

/** Statements, each followed by the registration of its signed credential. */
export async function withSignatures(statements: readonly Uint8Array[], keyFile: string) {
  const { openStatementSigning } = await import('../client/statement-signing.ts');
  const { sign } = await openStatementSigning(keyFile, []);
  const signed: Uint8Array[] = [];
  for (const statement of statements) signed.push(statement, await sign(statement));
  return signed;
}
