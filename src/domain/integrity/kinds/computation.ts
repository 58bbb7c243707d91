import { z } from 'zod';
import { cid, did, link, oneOrMany } from './fields.ts';
import { kind } from './kind.ts';

export const computation = kind('ComputationRegistration', {
  label: 'Computation',
  meaning: 'Says what was made from what. Lineage follows these statements.',
  symbol: 'M9 1.5 l6.5 3.75 v7.5 l-6.5 3.75 l-6.5 -3.75 v-7.5 Z M7 6 l4.5 3 l-4.5 3 Z',
  reads: '{doer} made {output} from {input}',
  called: '“{doer} made {output}”',
  says: '{doer} made {output} from {input}',
  fields: {
    computation: link(cid.optional(), 'the program, or a document about it', {
      word: 'program',
      document: 'Program',
    }),
    input: link(oneOrMany(cid), 'what went in'),
    output: link(oneOrMany(cid), 'what came out'),
    operatedBy: link(did, 'who ran it', { word: 'operated' }),
    executedOn: link(
      z.string().meta({ form: 'a CID, a DID or a name' }).optional(),
      'the machine that it ran on',
      { word: 'machine', document: 'Machine' },
    ),
  },
  lineage: {
    edge: { name: 'computation', meaning: 'went into, came out of, or was used by a computation' },
    isOutward: (role) => role === 'output',
    attached: ['computation', 'executedOn', 'operatedBy', 'registeredBy'],
    facts: [],
    flow: { upstream: 'output', downstream: 'input' },
  },
});
