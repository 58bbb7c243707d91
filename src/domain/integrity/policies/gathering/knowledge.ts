import { learntNames } from '../../access/learnt-names.ts';
import type { KnownBytes } from '../../blobs/same-bytes.ts';
import { lostSupport, outcomesOf, type SupportPorts, unknownSupport } from '../../governance/support.ts';
import { statementStart } from '../../identifiers/cid.ts';
import { statementNode } from '../../lineage/edges.ts';
import type { StatementScope } from '../../ports.ts';
import { claimOf } from '../../signatures/proven.ts';
import { retractionsIn, type TrustPorts } from '../../signatures/trust.ts';
import type { ReferringStatement } from '../../statements/rows.ts';
import type { LogFact } from '../facts.ts';
import { type RetractedFact, retractedFact } from '../withdrawn.ts';
import { type Ancestry, artefactOf } from './ancestry.ts';
import { allIn, claimsRead } from './claims-read.ts';
import { type Documents, readDocuments } from './documents.ts';
import type { FactPorts, Wanted } from './ports.ts';
import { type Signed, signaturesAbout, unsigned } from './signature-facts.ts';
import { type About, inField, statementsAbout } from './statements-about.ts';

/** The things of an ancestry that facts are about. */
export interface ThingsRead {
  readonly ancestry: Ancestry;
  /** Artefacts, as nodes of the lineage. */
  readonly nodes: readonly string[];
  /** DIDs. */
  readonly agents: readonly string[];
}

type FactKind = 'DataRegistration' | 'MetadataRegistration' | 'GovernanceRegistration';

interface Read {
  readonly known: ReadonlyMap<string, KnownBytes>;
  readonly about: ReadonlyMap<string, About>;
  /** The retracted statements about each identifier. */
  readonly retracted: ReadonlyMap<string, readonly RetractedFact[]>;
  readonly signed: ReadonlyMap<string, Signed>;
  readonly documents: Documents;
  readonly logged: ReadonlyMap<string, LogFact>;
  /** The documents of certificates that rest on something that was withdrawn, or of which nobody can tell that. */
  readonly unsupported: ReadonlyMap<string, 'lost' | 'unknown'>;
}

/** What was read about the things of an ancestry. Retracted statements are left out. */
export class Knowledge {
  readonly documents: Documents;
  readonly #read: Read;
  /** By identifier and kind. */
  readonly #statements: ReadonlyMap<string, ReadonlyMap<string, readonly ReferringStatement[]>>;

  constructor(read: Read) {
    this.#read = read;
    this.documents = read.documents;
    const byKind = ({ statements }: About) => Map.groupBy(statements, ({ kind }) => kind);
    this.#statements = new Map(read.about.entries().map(([id, about]) => [id, byKind(about)]));
  }

  /** What is known of the bytes of an artefact. */
  bytesOf(node: string): KnownBytes | undefined {
    return this.#read.known.get(artefactOf(node));
  }

  /** All identifiers of a thing. */
  namesOf(node: string): readonly string[] {
    return this.bytesOf(node)?.names ?? [artefactOf(node)];
  }

  /** The statements of a kind about a thing. */
  statements(node: string, kind: FactKind): readonly ReferringStatement[] {
    const all = this.namesOf(node).flatMap((name) => this.#statements.get(name)?.get(kind) ?? []);
    return all.length < 2 ? all : [...new Map(all.map((one) => [statementNode(one), one])).values()];
  }

  /** The retracted statements about a thing. */
  retracted(node: string): RetractedFact[] {
    const all = this.namesOf(node).flatMap((name) => this.#read.retracted.get(name) ?? []);
    return all.map((one) => ({ ...one, of: node }));
  }

  /** Whether there are more statements about a thing than were read. */
  isCut(node: string): boolean {
    return this.namesOf(node).some((name) => this.#read.about.get(name)?.isCut);
  }

  /** The signatures about a statement or a thing. */
  signed(id: string): Signed {
    return this.#read.signed.get(id) ?? unsigned;
  }

  /** Whether a certificate rests on a check of which something was withdrawn; undefined if that is not so. */
  supportOf(document: string): 'lost' | 'unknown' | undefined {
    return this.#read.unsupported.get(document);
  }

  /** Where a statement stands in a log. */
  logged(statement: string): LogFact | undefined {
    return this.#read.logged.get(statement);
  }
}

/** Reads what is stated about the things of an ancestry, who signed that, and the documents that it names. */
export async function readKnowledge(
  ports: FactPorts,
  trusting: TrustPorts,
  { ancestry: { start, steps }, nodes, agents }: ThingsRead,
  scope: StatementScope,
  wanted: Wanted,
): Promise<{ readonly knowledge: Knowledge; readonly statements: readonly string[] }> {
  const artefacts = [...new Set(nodes.map(artefactOf))];
  const known = await learntNames(ports, scope).withReferences(artefacts);
  const namesOf = artefacts.map((id) => known.get(id)?.names ?? [id]);
  const spoken = [...new Set([...namesOf.flat(), ...steps.keys(), ...agents])];
  const stated = await statementsAbout(ports.statementIndex, spoken, scope);
  const { about, retracted } = await withoutRetracted(trusting, stated);
  const said = allIn(about);
  const claims = claimsRead({ artefacts: namesOf, steps, about }, wanted);
  const statements = [
    ...new Set([
      ...steps.keys(),
      ...said.map(statementNode),
      ...(start.startsWith(statementStart) ? [start] : []),
    ]),
  ];
  const named = said.flatMap((one) => [...inField(one, 'metadata'), ...inField(one, 'document')]);
  const [signed, documents, logged] = await Promise.all([
    signaturesAbout(trusting, claims),
    readDocuments(ports, named),
    wanted.field('log') ? ports.logged(statements) : new Map<string, LogFact>(),
  ]);
  const certified = wanted.field('certificates') ? named : [];
  const unsupported = await unsupportedAmong({ ...ports, trusting }, certified, documents, scope);
  return {
    knowledge: new Knowledge({ known, about, retracted, signed, documents, logged, unsupported }),
    statements,
  };
}

async function unsupportedAmong(
  ports: SupportPorts,
  named: readonly string[],
  documents: Documents,
  scope: StatementScope,
): Promise<ReadonlyMap<string, 'lost' | 'unknown'>> {
  const unsupported = new Map<string, 'lost' | 'unknown'>();
  for (const id of new Set(named))
    for (const outcome of outcomesOf(documents.of(id) ?? {})) {
      const found = await lostSupport(ports, outcome, scope);
      if (found === unknownSupport) unsupported.getOrInsert(id, 'unknown');
      else if (found) unsupported.set(id, 'lost');
    }
  return unsupported;
}

async function withoutRetracted(
  trusting: TrustPorts,
  stated: ReadonlyMap<string, About>,
): Promise<Pick<Read, 'about' | 'retracted'>> {
  const gone = await retractionsIn(trusting, allIn(stated).map(claimOf));
  if (gone.size === 0) return { about: stated, retracted: new Map() };
  const about = new Map<string, About>();
  const retracted = new Map<string, RetractedFact[]>();
  for (const [of, { statements, isCut }] of stated) {
    about.set(of, { statements: statements.filter((one) => !gone.has(statementNode(one))), isCut });
    const facts = statements.flatMap((one) => {
      const statement = statementNode(one);
      const retraction = gone.get(statement);
      return retraction ? [retractedFact({ statement, kind: one.kind, of }, retraction)] : [];
    });
    retracted.set(of, facts);
  }
  return { about, retracted };
}
