import { isObject, type JsonObject } from '../../json/is-object.ts';
import { listOf } from '../credentials/credential-shape.ts';
import { outcomesOf } from '../governance/support.ts';
import { nameIn, parsedDocument, subjectName } from '../names/name.ts';
import { runFactsIn } from '../runs/run-document.ts';
import type { Content, Governance, GovernanceDocument, ReportedStatement } from './report.ts';

/** How many bytes of documents about runs are still kept. */
export interface RoomForRuns {
  bytes: number;
}

export function roomForRuns(): RoomForRuns {
  return { bytes: 4 << 20 };
}

/**
 * What a small JSON object says. Only what it says about a run is kept whole, because a value takes far more memory than its
 * bytes.
 */
export function readDocument(
  bytes: Uint8Array,
  room: RoomForRuns,
): Pick<Content, 'governance' | 'name' | 'naming' | 'run'> {
  const document = parsedDocument(bytes);
  if (!isObject(document)) return {};
  const run = bytes.length <= room.bytes ? runFactsIn(document) : undefined;
  if (run) room.bytes -= bytes.length;
  const naming = subjectName(document);
  return { governance: governanceOf(document), name: nameIn(document), naming, ...(run && { run }) };
}

function governanceOf(document: JsonObject): GovernanceDocument {
  const text = (name: string) => {
    const value = document[name];
    return typeof value === 'string' ? { value } : undefined;
  };
  const submitted = { ...as('by', text('submittedBy')), ...as('at', text('submittedAt')) };
  const { decision, controlCid, credentialSubject } = document;
  if (typeof decision === 'string')
    return { kind: 'review', verdict: decision, ...submitted, ...as('text', text('comment')) };
  if (controlCid !== undefined)
    return { kind: 'declaration', ...submitted, ...as('text', text('statement')) };
  if (credentialSubject === undefined) return { kind: 'document' };
  const types = listOf(document.type).filter((type) => type !== 'VerifiableCredential');
  return {
    kind: 'certificate',
    verdict: types.map(String).join(', '),
    ...as('by', text('issuer')),
    ...as('at', text('validFrom')),
    ...as('until', text('validUntil')),
    outcomes: outcomesOf(document),
  };
}

function as(name: string, found: { value: string } | undefined) {
  return found && { [name]: found.value };
}

/** Reads the governance documents that are there. @param ownDids of a service, which signs for others. */
export function governanceIn(
  statements: readonly ReportedStatement[],
  contents: ReadonlyMap<string, Content>,
  ownDids: ReadonlySet<string>,
): Governance[] {
  return statements
    .filter(({ kind }) => kind === 'GovernanceRegistration')
    .flatMap(({ id: statement, references, trust }) => {
      const subject = references.find(({ role }) => role === 'subject')?.identifier;
      const document = references.find(({ role }) => role === 'document')?.identifier;
      if (subject === undefined || document === undefined) return [];
      const { governance = { kind: 'document' } } = contents.get(document) ?? {};
      const isSigned = trust.state === 'signed' && trust.isRegistrant && !ownDids.has(trust.by ?? '');
      const isNameless = governance.kind === 'review' && governance.by === undefined;
      const signer = isNameless && isSigned ? { signer: trust.by } : {};
      return [{ subject, statement, document, ...governance, ...signer }];
    });
}
