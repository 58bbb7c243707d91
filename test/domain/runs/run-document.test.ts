import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jcs } from '../../../src/domain/integrity/identification/jcs.ts';
import {
  readRun,
  resultOf,
  runDocument,
  runFactsIn,
} from '../../../src/domain/integrity/runs/run-document.ts';

const facts = {
  name: 'train',
  command: ['python3', 'train.py'],
  exit_code: 0,
  started: '2026-01-31T12:00:00.000Z',
  duration: 12.345,
  parameters: [{ path: 'params.yaml', cid: 'urn:cid:bafkr4i', values: { lr: 0.1, on: [true, null, 'x'] } }],
  metrics: { loss: 0.25, val: { accuracy: 0.9 } },
  environment: { SEED: '7', GONE: null },
  git: { commit: 'c0ffee', branch: 'main', clean: true, untracked: 2 },
  metadata: { seed: 7 },
};

const names = [...Object.keys(facts), 'signal', 'error'];
const anyMembers = fc.dictionary(fc.constantFrom(...names), fc.jsonValue());

describe('The document about a run', () => {
  test('says only what has the form of a run, whatever anybody writes into it', () => {
    const property = fc.property(anyMembers, (members) => {
      const read = runFactsIn({ type: 'CairnRun', version: 1, ...members });
      const said = JSON.parse(JSON.stringify(read));
      expect(runFactsIn(JSON.parse(jcs(runDocument({ ...said, name: 'x' }))))).toEqual({
        ...said,
        name: 'x',
      });
    });
    fc.assert(property);
  });

  test('has the published form of version 1', () => {
    const document = jcs(runDocument(facts));
    expect(document).toBe(
      '{"command":["python3","train.py"],"duration":12.345,"environment":{"GONE":null,"SEED":"7"},"exit_code":0,"git":{"branch":"main","clean":true,"commit":"c0ffee","untracked":2},"metadata":{"seed":7},"metrics":{"loss":0.25,"val":{"accuracy":0.9}},"name":"train","parameters":[{"cid":"urn:cid:bafkr4i","path":"params.yaml","values":{"lr":0.1,"on":[true,null,"x"]}}],"started":"2026-01-31T12:00:00.000Z","type":"CairnRun","version":1}',
    );
    expect(readRun(Buffer.from(document))).toEqual(facts);
  });

  test('is read as far as it is known from a later version, and if members are wrong', () => {
    expect(runFactsIn({ ...runDocument(facts), version: 2, colour: 'red' })).toEqual(facts);
    const wrong = { command: [], exit_code: 'x', duration: -1, git: { clean: 'yes' }, environment: [1] };
    const read = runFactsIn({ type: 'CairnRun', version: 1, name: 'train', ...wrong });
    expect(JSON.parse(JSON.stringify(read))).toEqual({ name: 'train' });
  });

  test('is read in the form without a type, whose other members were what somebody said', () => {
    const { name, command, exit_code, started, duration } = facts;
    const earlier = { name, command, exit_code, started, duration };
    expect(runFactsIn({ ...earlier, seed: 7 })).toEqual({ ...earlier, metadata: { seed: 7 } });
    expect(runFactsIn({ name, started, duration })).toEqual({ name, started, duration });
  });

  test.each([
    null,
    [],
    'x',
    { name: 'x' },
    { type: 'CairnRun' },
    { path: 'x', size: 1 },
    { type: 'CairnRun', version: '1' },
  ])('is not %j', (document) => expect(runFactsIn(document)).toBeUndefined());
});

test.each([
  ['succeeded', { command: ['x'], exit_code: 0 }],
  ['succeeded', { duration: 1 }],
  ['failed', { command: ['x'], exit_code: 3 }],
  ['failed', { command: ['x'], signal: 'SIGKILL' }],
  ['failed', { duration: 1, error: 'It broke.' }],
  ['unknown', { command: ['x'], duration: 1 }],
  ['unknown', {}],
])('A run has %s according to %j', (result, said) => expect(resultOf(said)).toBe(result));
