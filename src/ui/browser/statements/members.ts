import { element, terms } from '../element.ts';
import { kindOf, words } from '../kinds.ts';
import { localTime } from '../times.ts';
import { typeOf } from './sentence.ts';
import { foreignText, isIdentifier, type Names, thingWithId } from './shown-text.ts';
import type { Json } from './statements-api.ts';

/** Members that every statement has. */
const commonMeanings: Readonly<Record<string, string>> = {
  registeredBy: 'who says so',
  timestamp: 'when, as its registrant says',
};
/** Members with a section of their own. */
const elsewhere = /^(?:@context|@id|@type|credential|credentialDsse|sigstoreBundle|proof)$/;
const listedAtFirst = 12;
const longestText = 2_000;
const deepest = 4;

/** Every member of a statement with its meaning. */
export function memberTable(statement: Json, names: Names): HTMLElement {
  const members = kindOf(typeOf(statement))?.members ?? {};
  const rows = Object.entries(statement)
    .filter(([name]) => !elsewhere.test(name))
    .toSorted(([one], [other]) => order(one, members) - order(other, members));
  const items = rows.flatMap(([name, value]) => {
    const meaning = (members[name]?.meaning ?? commonMeanings[name])?.replaceAll('`', '');
    const quiet = meaning === undefined ? [] : [' ', element('span', { class: 'quiet' }, meaning)];
    const shown = name === 'timestamp' ? localTime(String(value)) : shownValue(value, names);
    const term = element('dt', {}, foreignText(members[name]?.document ?? words(name)), ...quiet);
    return [term, element('dd', {}, shown)];
  });
  return element('dl', { class: 'members' }, ...items);
}

/** In the order of the declaration, and members of all kinds last. */
function order(name: string, members: Readonly<Record<string, unknown>>): number {
  const at = Object.keys(members).indexOf(name);
  if (at >= 0) return at;
  return name in commonMeanings ? 1_001 : 1_000;
}

/** A value of JSON as a reader reads it. */
export function shownValue(value: unknown, names: Names, depth = 0): Node {
  if (isIdentifier(value)) return thingWithId(value, names);
  if (Array.isArray(value)) return listOf(value, names, depth);
  if (typeof value === 'object' && value !== null && depth < deepest)
    return facts(value as Json, names, depth + 1);
  return foreignText(typeof value === 'string' ? value : JSON.stringify(value), longestText);
}

/** An object as terms and values. */
export function facts(value: Json, names: Names, depth = 0): HTMLElement {
  const rows = Object.entries(value).filter(([name]) => name !== '@context');
  return terms(rows.map(([name, one]) => [foreignText(name), shownValue(one, names, depth)]));
}

function listOf(values: readonly unknown[], names: Names, depth: number): Node {
  const [only] = values;
  if (values.length === 1) return shownValue(only, names, depth);
  const items = (from: number, to?: number) =>
    values.slice(from, to).map((one) => element('li', {}, shownValue(one, names, depth + 1)));
  const list = element('ul', { class: 'values' }, ...items(0, listedAtFirst));
  if (values.length <= listedAtFirst) return list;
  const count = (values.length - listedAtFirst).toLocaleString('en');
  const rest = element('details', {}, element('summary', {}, `${count} more`));
  const open = () => rest.append(element('ul', { class: 'values' }, ...items(listedAtFirst)));
  rest.addEventListener('toggle', open, { once: true });
  return element('div', {}, list, rest);
}

/** All identifiers in JSON, without contexts. */
export function identifiersIn(value: unknown): string[] {
  if (isIdentifier(value)) return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => (name === '@context' ? [] : identifiersIn(one)));
}
