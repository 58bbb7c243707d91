import { cidUrn } from '../../src/domain/integrity/identifiers/cid.ts';
import type { Lineage } from '../../src/domain/integrity/lineage/graph.ts';
import type { LineageQuery } from '../../src/domain/integrity/lineage/trace.ts';
import type { StatementRow } from '../../src/domain/integrity/ports.ts';

/** Edges as texts: from, kind, field, to, statement. */
export function edgeTexts({ edges }: Pick<Lineage, 'edges'>): string[] {
  return edges.map(({ from, kind, role, to, statement }) => edgeText(from, kind, role, to, statement)).sort();
}

const edgeText = (...parts: string[]) => parts.join(' | ');
const idOf = ({ rdfcCid }: StatementRow) => cidUrn(rdfcCid);
const ends = ({ references }: StatementRow, role: string) =>
  references.filter((it) => it.role === role).map(({ identifier }) => identifier);

/** The lineage that docs/lineage.md describes, bounded only by depth: computed from all statements at once. */
export function modelEdges(
  rows: readonly StatementRow[],
  query: LineageQuery & { readonly depth: number },
): string[] {
  const { start, flows, depth, kinds } = query;
  const known = rows.filter(({ kind }) => kinds === null || (kinds as readonly string[]).includes(kind));
  const computations = known.filter(({ kind }) => kind === 'ComputationRegistration');
  const named = rows.find((row) => idOf(row) === start);
  const found = new Set<string>();
  const visited = new Set([start]);

  for (const flow of flows) {
    const [near, far] = flow === 'upstream' ? ['output', 'input'] : ['input', 'output'];
    const cross = (row: StatementRow) => {
      for (const end of ends(row, far)) {
        visited.add(end);
        if (far === 'output') found.add(edgeText(idOf(row), 'computation', far, end, idOf(row)));
        else found.add(edgeText(end, 'computation', far, idOf(row), idOf(row)));
      }
      return ends(row, far);
    };
    const isCrossed = named && computations.includes(named) && depth > 0;
    let level = named ? (isCrossed ? cross(named) : []) : [start];
    const seen = new Set(level);
    for (let step = named ? 1 : 0; step < depth; step += 1) {
      const next = new Set<string>();
      for (const at of level) {
        for (const row of computations.filter((each) => ends(each, near).includes(at))) {
          visited.add(idOf(row));
          if (near === 'output') found.add(edgeText(idOf(row), 'computation', near, at, idOf(row)));
          else found.add(edgeText(at, 'computation', near, idOf(row), idOf(row)));
          attached(row);
          for (const end of cross(row)) if (!seen.has(end)) next.add(end);
        }
      }
      for (const end of next) seen.add(end);
      level = [...next];
    }
  }

  function attached(row: StatementRow): void {
    const id = idOf(row);
    for (const actor of ends(row, 'registeredBy'))
      found.add(edgeText(actor, 'registration', 'registeredBy', id, id));
    if (row.kind === 'ComputationRegistration') {
      for (const role of ['computation', 'executedOn'])
        for (const end of ends(row, role)) found.add(edgeText(end, 'computation', role, id, id));
      for (const actor of ends(row, 'operatedBy'))
        found.add(edgeText(actor, 'operation', 'operatedBy', id, id));
    }
    if (row.kind === 'CredentialRegistration')
      for (const end of ends(row, 'credential')) found.add(edgeText(id, 'credential', 'credential', end, id));
  }

  function says(row: StatementRow, at: string, role: string): void {
    const id = idOf(row);
    const between = (kind: string, from: string, to: string) => {
      if (role === from) for (const end of ends(row, to)) found.add(edgeText(at, kind, to, end, id));
      if (role === to) for (const end of ends(row, from)) found.add(edgeText(end, kind, to, at, id));
      if (at === start && role === 'registeredBy' && from !== role)
        found.add(edgeText(at, 'registration', role, id, id));
      if (at === start && role === 'operatedBy') found.add(edgeText(at, 'operation', role, id, id));
    };
    switch (row.kind) {
      case 'AssociationRegistration':
        between('association', 'subject', 'association');
        break;
      case 'MetadataRegistration':
        between('metadata', 'subject', 'metadata');
        break;
      case 'GovernanceRegistration':
        between('governance', 'subject', 'document');
        break;
      case 'StorageRegistration':
        between('storage', 'data', 'storedOn');
        break;
      case 'DataRegistration':
        if (role !== 'registeredBy' || at === start) between('registration', 'registeredBy', 'data');
        break;
      case 'CredentialRegistration':
        if (role === 'registeredBy' && at !== start) break;
        if (role !== 'credential' && role !== 'registeredBy')
          found.add(edgeText(at, 'credential', role, id, id));
        attached(row);
        break;
      case 'ComputationRegistration':
        if (at === start && role !== 'input' && role !== 'output') attached(row);
        break;
      default:
        if (role !== 'registeredBy') found.add(edgeText(id, 'reference', role, at, id));
        attached(row);
        break;
    }
  }

  for (const at of visited)
    for (const row of known)
      for (const { role, identifier } of row.references) if (identifier === at) says(row, at, role);

  if (named && known.includes(named)) {
    attached(named);
    const linking = ['ComputationRegistration', 'CredentialRegistration'];
    if (!linking.includes(named.kind)) {
      for (const { role, identifier } of named.references) {
        const kind = nodeKinds[named.kind] ?? 'reference';
        if (role === 'operatedBy' && kind !== 'reference')
          found.add(edgeText(identifier, 'operation', role, start, start));
        else if (role !== 'registeredBy') found.add(edgeText(start, kind, role, identifier, start));
      }
    }
    if (named.kind === 'CredentialRegistration')
      for (const end of ends(named, 'credentialSubject'))
        found.add(edgeText(end, 'credential', 'credentialSubject', start, start));
  }
  return [...found].sort();
}

const nodeKinds: Readonly<Record<string, string>> = {
  AssociationRegistration: 'association',
  MetadataRegistration: 'metadata',
  GovernanceRegistration: 'governance',
  StorageRegistration: 'storage',
  DataRegistration: 'registration',
};
