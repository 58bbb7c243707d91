import { bareId, briefName, harmless, shortId } from '../../../contract/words/text.ts';
import { breakable, element } from '../element.ts';

/** Text that somebody else wrote. It cannot change its surroundings. */
export function foreignText(text: string, most?: number): HTMLElement {
  return element('bdi', {}, ...breakable(harmless(text, most)));
}

export type Names = ReadonlyMap<string, string>;

/** The name of something, or its short identifier. */
export function nameOrId(id: string, names: Names): HTMLElement {
  const name = names.get(id);
  return name === undefined
    ? element('span', {}, isStatementId(id) ? 'statement ' : '', element('code', {}, harmless(shortId(id))))
    : foreignText(briefName(name));
}

/** A link to a statement, or to the lineage of anything else, by its name. The title has the whole identifier. */
export function thing(id: string, names: Names): HTMLElement {
  return element('a', { href: pageOf(id), title: harmless(bareId(id), 2_000) }, nameOrId(id, names));
}

/** The same with the short identifier beside a name, because anybody can give a name to anything. */
export function thingWithId(id: string, names: Names): HTMLElement {
  const short = names.has(id) ? [' ', element('code', { class: 'quiet' }, harmless(shortId(id)))] : [];
  return element('span', {}, thing(id, names), ...short);
}

export function isIdentifier(value: unknown): value is string {
  return (
    typeof value === 'string' && /^(?:urn:cid:\w+$|urn:uuid:[0-9a-f-]{36}$|did:[a-z0-9]+:\S+$)/i.test(value)
  );
}

/** Whether it is the id of a statement (`rdfc_cid`). */
export function isStatementId(id: string): boolean {
  return id.startsWith('urn:cid:bagb6qaq6');
}

/** Statements have a page of their own. Everything else has its lineage. */
export function pageOf(id: string): string {
  return isStatementId(id) ? statementAddress(id) : lineageAddress(id);
}

export function lineageAddress(id: string): string {
  return `/ui/lineage/${encodeURIComponent(bareId(id))}`;
}

export function statementAddress(id: string): string {
  return `/ui/statement/${encodeURIComponent(bareId(id))}`;
}

export function graphAddress(id: string): string {
  return `/ui/graph/${encodeURIComponent(id)}`;
}
