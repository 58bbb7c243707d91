import { isObject, type JsonObject } from '../../json/is-object.ts';
import { listOf } from '../credentials/credential-shape.ts';
import { nameIn, parsedDocument } from '../names/name.ts';
import type { Content, GovernanceDocument } from './report.ts';

/** What a small JSON object says. It is not kept whole, because a value takes far more memory than its bytes. */
export function readDocument(bytes: Uint8Array): Pick<Content, 'governance' | 'name'> {
  const document = parsedDocument(bytes);
  return isObject(document) ? { governance: governanceOf(document), name: nameIn(document) } : {};
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
  };
}

function as(name: string, found: { value: string } | undefined) {
  return found && { [name]: found.value };
}
