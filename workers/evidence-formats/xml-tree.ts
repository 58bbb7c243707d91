import { SaxesParser, type SaxesTagNS } from 'saxes';
import { EvidenceProblem } from '../../src/domain/integrity/evidence/evidence.ts';
import type { XmlElement } from '../../src/domain/integrity/evidence/sbom/cyclonedx-xml.ts';
import { decodeUtf8 } from '../../src/domain/json/strict-json.ts';

type Open = { -readonly [Member in keyof XmlElement]: XmlElement[Member] } & { children: Open[] };

/**
 * The root of an XML document in UTF-8.
 * @param maxDepth of elements.
 * @throws EvidenceProblem if it is not well-formed, or has a DTD, which could define entities.
 */
export function xmlTree(bytes: Uint8Array, maxDepth: number): XmlElement {
  const parser = new SaxesParser({ xmlns: true });
  const document: Open = { name: '', namespace: '', attributes: {}, children: [], text: '' };
  const open = [document];
  const refuse = (reason: string): never => {
    throw new EvidenceProblem(`Line ${parser.line} of the XML: ${reason}`);
  };
  parser.on('error', ({ message }) => refuse(message.replace(/^\d+:\d+:\s*/, '')));
  parser.on('xmldecl', ({ encoding = 'UTF-8' }) => {
    if (encoding.toUpperCase() !== 'UTF-8') refuse(`the encoding is ${encoding}. Write it in UTF-8.`);
  });
  parser.on('doctype', () => refuse('it has a DOCTYPE. Documents with a DTD are not read. Remove it.'));
  parser.on('opentag', (tag) => {
    if (open.length > maxDepth) refuse(`it is nested more than ${maxDepth} levels deep.`);
    const element = elementOf(tag);
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  const addText = (text: string) => {
    const element = open.at(-1);
    if (element) element.text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.write(decodeUtf8(bytes)).close();
  return document.children[0] ?? refuse('it has no element.');
}

function elementOf({ local, uri, attributes }: SaxesTagNS): Open {
  const own = Object.values(attributes).filter(({ prefix }) => prefix === '');
  const values = Object.fromEntries(own.map(({ local: name, value }) => [name, value]));
  return { name: local, namespace: uri, attributes: values, children: [], text: '' };
}
