import { expect, test } from 'vitest';
import type { Evidence } from '../../../src/domain/integrity/evidence/evidence.ts';
import { inTotoStatement } from '../../../src/domain/integrity/evidence/in-toto/statement.ts';
import { slsaStatement } from '../../builders/provenance.ts';

test('provenance of GitLab Runner, which calls a commit sha256 and spells invocationID, is read', () => {
  const commit = 'f0582e2c9a16b5cc2cde90e8be8f1b50fd67c631';
  const predicate = {
    buildDefinition: {
      buildType: 'https://gitlab.com/gitlab-org/gitlab-runner/-/blob/v18.0.0/PROVENANCE.md',
      externalParameters: { source: 'https://gitlab.com/o/app', entryPoint: 'build' },
      resolvedDependencies: [{ uri: 'https://gitlab.com/o/app', digest: { sha256: commit } }],
    },
    runDetails: {
      builder: { id: 'https://gitlab.com/o/app/-/runners/1' },
      metadata: { invocationID: '5418582128' },
    },
  };
  const { steps = [] } = inTotoStatement.read(slsaStatement({ predicate }), '') as Evidence;
  expect(steps).toMatchObject([
    {
      inputs: [{ digests: { gitCommit: commit } }],
      facts: { metadata: { invocation: '5418582128' } },
    },
  ]);
});
