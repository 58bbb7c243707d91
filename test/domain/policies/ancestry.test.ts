import { expect, test } from 'vitest';
import { ancestryOf } from '../../../src/domain/integrity/policies/gathering/ancestry.ts';

const [model, training, data, cleaning, raw] = ['model', 'training', 'data', 'cleaning', 'raw'].map(
  (name) => `urn:cid:${name}`,
) as [string, string, string, string, string];

function chainCutAt(place: string) {
  const artefact = (id: string) => ({ id, kind: 'artefact', depth: 0, cut: id === place ? 1 : 0 }) as const;
  const run = (id: string) =>
    ({ ...artefact(id), kind: 'statement', type: 'ComputationRegistration' }) as const;
  const edge = (from: string, to: string, role: string, statement: string) => {
    return { from, to, role, statement, kind: 'ComputationRegistration', time: null, isTrusted: true };
  };
  return ancestryOf({
    start: model,
    nodes: [artefact(model), run(training), artefact(data), run(cleaning), artefact(raw)],
    edges: [
      edge(training, model, 'output', training),
      edge(data, training, 'input', training),
      edge(cleaning, data, 'output', cleaning),
      edge(raw, cleaning, 'input', cleaning),
    ],
    isTruncated: true,
  });
}

test.each([
  ['the thing that was made', data],
  ['the run that made it', cleaning],
])('a limit at %s leaves the makers of other things known', (_, place) => {
  const { isCut, cut, upstream } = chainCutAt(place);
  expect(upstream).toEqual([data, raw]);
  expect([isCut, [...cut]]).toEqual([true, [data]]);
});
