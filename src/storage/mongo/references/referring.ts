import { codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { Referring, ReferringQuery, ReferringStatement } from '../../../domain/integrity/ports.ts';
import { mapConcurrent } from '../../../domain/map-concurrent.ts';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import { allReferring } from '../statements/statement-lists.ts';
import type { LightDocument, StatementReader } from '../statements/statement-reader.ts';
import { type DocumentScope, isInGraph } from '../statements/statement-scopes.ts';
import { entriesOf, referencesIn } from './reference-entries.ts';
import { fewReferring } from './reference-groups.ts';
import { type Referrer, type ReferringSource, sourcesAmong, sourcesInLists } from './referring-sources.ts';

/** Identifiers that are asked about at once. */
const identifiersAtOnce = 2;
/** References that are read for each statement wanted, and for a whole query: some statements have thousands. */
const referencesRead = 32;
const referencesReadInAll = 200_000;

interface Budget {
  statements: number;
  references: number;
}

/** What refers to identifiers, for traversals. Each query reads a bounded number of documents. */
export function referringReads(reader: StatementReader) {
  /** Everything that refers to the identifiers, by these and newest first; undefined where that is much. */
  async function allReferrers(
    identifiers: readonly string[],
    scope: DocumentScope,
  ): Promise<Map<string, Referrer[]> | undefined> {
    const starts = identifiers.flatMap((identifier) =>
      scope.trusted.map((isTrusted) => entriesOf(identifier, isTrusted)),
    );
    const found = await allReferring(reader, starts, identifiers.length * fewReferring);
    if (!found) return undefined;
    const inGraph = found.filter((document) => isInGraph(scope, document));
    return await byIdentifier(identifiers, await reader.visible(inGraph, scope.scope.visibility));
  }

  async function sourcesOf(
    identifier: string,
    query: ReferringQuery,
    scope: DocumentScope,
  ): Promise<ReferringSource[]> {
    const all = query.identifiers.length > 1 && (await allReferrers([identifier], scope));
    if (all) return sourcesAmong(all.get(identifier) ?? [], query);
    return await sourcesInLists(reader, identifier, query, scope);
  }

  return async function referringTo(query: ReferringQuery, scope: DocumentScope): Promise<Referring[]> {
    const budget = {
      statements: query.most,
      references: Math.min(referencesRead * query.most, referencesReadInAll),
    };
    const { identifiers } = query;
    const together = await allReferrers(identifiers, scope);
    const sources = (identifier: string) =>
      together
        ? Promise.resolve(sourcesAmong(together.get(identifier) ?? [], query))
        : sourcesOf(identifier, query, scope);
    return await Array.fromAsync(
      mapConcurrent(source(identifiers), identifiersAtOnce, sources),
      async (found) => await take(found, budget),
    );
  };

  async function byIdentifier(identifiers: readonly string[], documents: readonly LightDocument[]) {
    const found = new Map(identifiers.map((identifier) => [identifier, [] as Referrer[]]));
    const newestFirst = documents.toSorted((one, other) => Buffer.compare(other.position, one.position));
    for (const document of newestFirst) {
      for (const { identifier, role } of referencesIn(document.references, document, document.hashedRoles))
        found.get(identifier)?.push({ role, document });
      await yieldToEventLoop();
    }
    return found;
  }

  /** What the budget allows of the sources of one identifier. */
  async function take(sources: readonly ReferringSource[], budget: Budget): Promise<Referring> {
    const found: { role: string; statement: ReferringStatement }[] = [];
    let isCut = false;
    for (const { role, documents, isLonger } of sources) {
      isCut ||= isLonger;
      for (const document of documents) {
        if (budget.statements <= 0 || budget.references <= 0) return { found, isCut: true };
        found.push({ role, statement: referringStatement(document) });
        budget.statements -= 1;
        budget.references -= document.references.length;
        await yieldToEventLoop();
      }
    }
    return { found, isCut };
  }
}

async function* source<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

function referringStatement(document: LightDocument): ReferringStatement {
  const { kind, isTrusted, associationType } = document;
  return {
    rdfcCid: makeCid(codecs.rdfc, document.rdfc),
    kind,
    references: referencesIn(document.references, document, document.hashedRoles),
    isTrusted,
    associationType: kind === 'AssociationRegistration' ? (associationType ?? null) : null,
  };
}
