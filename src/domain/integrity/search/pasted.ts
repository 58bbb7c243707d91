import { identifierIn } from '../identifiers/identifiers.ts';

const around = /^[\s\p{P}<>`]+|[\s\p{P}<>`]+$/gu;

/** What a pasted text may identify: the text without the punctuation around it, or the first identifier in the address of a page. */
export function pastedIdentifier(text: string): string {
  if (identifierIn(text) !== undefined) return text;
  const bare = text.replaceAll(around, '');
  if (/\s/.test(bare) || identifierIn(bare) !== undefined) return bare;
  return partsOf(bare).find((part) => identifierIn(part) !== undefined) ?? bare;
}

/** Packages of systems have the system as their namespace (purl-spec, types). */
const packageUrl = /^pkg:(?:(?:alpm|apk|deb|rpm)\/[^/?#]+|[^/?#]+)\/([^?#]+)/i;

/** What a name is searched by: `name@version` if the text is a package URL. */
export function pastedName(text: string): string {
  const [, name] = packageUrl.exec(text.replaceAll(around, '')) ?? [];
  return name === undefined ? text : decoded(name);
}

/** What an agent is searched by: its id if the text is the address of its page. */
export function pastedAgent(text: string): string {
  const [, id] = /^https?:\/\/\S+\/ui\/agents\/([^/?#\s]+)/.exec(text.trim()) ?? [];
  return id ?? text.trim();
}

function partsOf(address: string): string[] {
  return address.split(/[/?&=#]/).map(decoded);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
