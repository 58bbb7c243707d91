import { ServiceError } from '../../errors.ts';
import { isCid } from './cid.ts';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const didPattern = /^did:[a-z0-9]+:[A-Za-z0-9._:%-]*[A-Za-z0-9._-](?:[/?#]\S*)?$/;
const urnPattern = /^urn:[a-z0-9][a-z0-9-]{0,31}:\S+$/i;

/** A DID, with or without a path, query or fragment (DID Core 3.1, 3.2). */
export function isDid(text: string): boolean {
  return didPattern.test(text);
}

export function isUuidUrn(text: string): boolean {
  return text.startsWith('urn:uuid:') && uuidPattern.test(text.slice('urn:uuid:'.length));
}

export function isCidUrn(text: string): boolean {
  return text.startsWith('urn:cid:') && isCid(text);
}

/** Whether the text is a URN. CIDs and UUIDs inside are checked. */
export function isUrn(text: string): boolean {
  if (text.startsWith('urn:cid:')) return isCidUrn(text);
  if (text.startsWith('urn:uuid:')) return isUuidUrn(text);
  return urnPattern.test(text);
}

/**
 * The normalized form under which references are indexed: `urn:cid:` and the canonical CID, `urn:uuid:` and the
 * lower-case UUID, or the DID. Undefined for any other text.
 */
export function referenceIdentifier(text: string): string | undefined {
  if (text.startsWith('did:')) return isDid(text) ? text : undefined;
  if (text.startsWith('urn:cid:')) return isCid(text) ? text : undefined;
  if (isUuidUrn(text)) return text.toLowerCase();
  return undefined;
}

/** The UUID (RFC 9562), bare or after `urn:uuid:`, in lower case; undefined if the text is not one. */
export function uuidIn(input: string): string | undefined {
  const text = input.replace(/^urn:uuid:/i, '');
  return uuidPattern.test(text) ? text.toLowerCase() : undefined;
}

/** Parses a UUID (RFC 9562), bare or after `urn:uuid:`, into lower case. @throws ServiceError `invalid_request`. */
export function parseUuid(input: string, name: string): string {
  const uuid = uuidIn(input);
  if (uuid !== undefined) return uuid;
  throw new ServiceError('invalid_request', `${name} "${input.slice(0, 80)}" is not a UUID.`);
}

/**
 * Parses an identifier from a caller: a CID or UUID, with or without `urn:…:`, or a DID.
 * @returns the form under which references are indexed. @throws ServiceError `invalid_request`.
 */
export function parseIdentifier(input: string): string {
  const identifier = identifierIn(input);
  if (identifier !== undefined) return identifier;
  const message = `"${input.slice(0, 120)}" is neither a CID, nor a UUID, nor a DID.`;
  throw new ServiceError('invalid_request', message);
}

/** The same; undefined if it is none of them. */
export function identifierIn(input: string): string | undefined {
  return (
    referenceIdentifier(input) ??
    referenceIdentifier(`urn:cid:${input}`) ??
    referenceIdentifier(`urn:uuid:${input}`)
  );
}
