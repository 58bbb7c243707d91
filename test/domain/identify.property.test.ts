import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { ContextWorld, contextDocument } from '../../src/domain/integrity/contexts/world.ts';
import { StatementIdentifier } from '../../src/domain/integrity/identification/identify.ts';
import { type FlatValue, oddNames, statementTwins } from '../builders/statement-twins.ts';
import { bytesOf, did, identifyOptions, type Json } from '../builders/statements.ts';
import { runs } from '../property-runs.ts';

const foreign = 'https://example.com/context';

function world(): ContextWorld {
  const contexts = ContextWorld.bundled();
  contexts.add(contextDocument(foreign, '{"@context":{"@vocab":"http://vocab.example/"}}'));
  return contexts;
}

/** All that is known of a statement, or the error. */
async function outcome(identifier: StatementIdentifier, statement: Json, strict: boolean) {
  try {
    return await identifier.identify(bytesOf(statement), { ...identifyOptions, strict });
  } catch (error) {
    return String(error);
  }
}

const fields = [
  'data',
  'association',
  'subject',
  'type',
  'input',
  'output',
  'computation',
  'credential',
  'proof',
];
const types = fc.constantFrom<FlatValue | undefined>(
  'AssociationRegistration',
  'DataRegistration',
  'ComputationRegistration',
  'CredentialRegistration',
  ['DataRegistration', 'EntityRegistration'],
  'Unknown',
);

test.each([ownContextUrl, foreign])('a known shape changes nothing in the context %s', async (context) => {
  const known = new StatementIdentifier(world());
  const names = context === foreign ? [...fields, 'registeredBy', 'timestamp', ...oddNames] : fields;
  const common = { registeredBy: did, timestamp: '2026-01-31T12:00:00Z' };
  await fc.assert(
    fc.asyncProperty(statementTwins(context, types, names), fc.boolean(), async (statements, strict) => {
      for (const statement of statements) {
        const whole = { ...common, ...statement };
        const expected = await outcome(new StatementIdentifier(known.world), whole, strict);
        for (let round = 0; round < 3; round += 1)
          expect(await outcome(known, whole, strict)).toEqual(expected);
      }
    }),
    { numRuns: runs(200) },
  );
});
