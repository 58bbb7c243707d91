import canonize, { type Quad } from 'rdf-canonize';

export function parseNQuads(text: string): Quad[] {
  return canonize.NQuads.parse(text);
}
