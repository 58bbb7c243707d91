/** An answer of `GET /lineage/v1/{id}` in short form: `a>run` is an input, `run>b` an output, `a-metadata>m` a fact. */
export function answer(
  start: string,
  edges: readonly string[],
  hidden: Readonly<Record<string, number>> = {},
) {
  const read = edges.map((text) => {
    const [left = '', to = ''] = text.split('>');
    const [from = '', fact] = left.split('-');
    const role = fact ?? (to.startsWith('run') ? 'input' : 'output');
    const statement = from.startsWith('run') ? from : to;
    return {
      from,
      to,
      role,
      kind: fact ?? 'computation',
      statement,
      registered_by: 'did:web:a',
      trust: { state: 'claimed' as const },
    };
  });
  const ids = new Set([start, ...read.flatMap(({ from, to }) => [from, to]), ...Object.keys(hidden)]);
  const kindOf = (id: string) => (id.startsWith('run') ? 'statement' : 'artefact');
  return {
    id: start,
    nodes: [...ids].map(
      (id) => ({ id, kind: kindOf(id), ...(hidden[id] && { hidden_edges: hidden[id] }) }) as const,
    ),
    edges: read,
  };
}

/** `a0` to `a9` for `range('a', 10)`. */
export function range(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${name}${at}`);
}
