/** A SHA-256 digest in hex. */
export const sha256 = (digit: string) => digit.repeat(64);

export const provenance = {
  buildDefinition: {
    buildType: 'https://actions.github.io/buildtypes/workflow/v1',
    externalParameters: {
      workflow: {
        repository: 'https://github.com/o/app',
        path: '.github/workflows/release.yml',
        ref: 'refs/tags/v1',
      },
    },
    resolvedDependencies: [
      { uri: 'git+https://github.com/o/app@refs/tags/v1', digest: { gitCommit: 'c'.repeat(40) } },
      { uri: 'https://example.com/base.img', digest: { sha256: sha256('b') } },
    ],
  },
  runDetails: {
    builder: { id: 'https://github.com/actions/runner/github-hosted' },
    metadata: { startedOn: '2026-01-31T12:00:00Z', finishedOn: '2026-01-31T12:01:30Z' },
  },
};

/** An in-toto Statement with SLSA provenance. */
export const slsaStatement = (more: object = {}) => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'app.tar.gz', digest: { sha256: sha256('a') } }],
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: provenance,
  ...more,
});
