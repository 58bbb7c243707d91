type Attribute = string | boolean | ((event: Event) => void) | undefined;
/** Nothing is shown for false and undefined. */
type Content = Node | string | false | undefined;

/** An element with attributes, listeners and content. Text stays text, so it cannot become markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...content: Content[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name, value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...content.filter((one) => one !== undefined && one !== false));
  return made;
}

/** Terms with their values. */
export function terms(
  rows: Iterable<readonly [term: Node | string, value: Node | string]>,
  attributes: Readonly<Record<string, Attribute>> = {},
): HTMLElement {
  const items = [...rows].flatMap(([term, value]) => [element('dt', {}, term), element('dd', {}, value)]);
  return element('dl', attributes, ...items);
}

/** A button that does not submit a form. */
export function button(
  label: string,
  click: () => void,
  attributes: Readonly<Record<string, Attribute>> = {},
): HTMLButtonElement {
  return element('button', { type: 'button', click, ...attributes }, label);
}

/** An SVG element. */
export function drawn(
  tag: string,
  attributes: Readonly<Record<string, string>>,
  ...content: (Node | string)[]
): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag) as SVGElement;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...content);
  return made;
}

/** Text whose long paths are broken after a slash. */
export function breakable(text: string): (Node | string)[] {
  const [first = '', ...others] = text.split(/(?<=\/)(?=[^/])/);
  return [first, ...others.flatMap((part) => [element('wbr'), part])];
}

/** A part of a page under a heading. */
export function section(title: string, ...content: readonly Node[]): HTMLElement {
  return element('section', {}, element('h2', {}, title), ...content);
}

/** An element that the server has written. */
export function part<Kind extends HTMLElement = HTMLElement>(
  id: string,
  kind: new () => Kind = HTMLElement as new () => Kind,
): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${id}.`);
}

/** Reports a change to screen readers. */
export function announce(text: string): void {
  part('announcements').textContent = text;
}
