import type { ServedService, Settings } from './setting-table.ts';

/** Problems of settings that are valid one by one but do not fit together. */
export function contradictions(settings: Partial<Settings>, services: readonly ServedService[]): string[] {
  // The control plane runs no jobs and does not use the signing key.
  const isControlPlaneOnly = services.length > 0 && !services.includes('integrity');
  return [...(isControlPlaneOnly ? [] : storeProblems(settings)), ...modeProblems(settings)];
}

function storeProblems({ jobs, mongodbUrl, redisUrl, signingKeyFile }: Partial<Settings>): string[] {
  const problems: string[] = [];
  if (jobs === 'bullmq' && redisUrl === null)
    problems.push('CAIRN_JOBS="bullmq" needs a Redis. Set CAIRN_REDIS_URL, or set CAIRN_JOBS=in-process.');
  if (mongodbUrl && redisUrl === null && jobs !== 'in-process')
    problems.push(
      'CAIRN_MONGODB_URL is set, but CAIRN_REDIS_URL is not. Set it, so that all processes share their jobs. If there is only one process, set CAIRN_JOBS=in-process.',
    );
  if (mongodbUrl && signingKeyFile === null)
    problems.push(
      'CAIRN_MONGODB_URL is set, but CAIRN_SIGNING_KEY_FILE is not. Set it to a key file that all processes share. docs/operating.md says how to make one.',
    );
  return problems;
}

/** Settings that the chosen mode needs, and settings of a mode when no mode is chosen. */
function modeProblems(settings: Partial<Settings>): string[] {
  const { authMode } = settings;
  const problems: string[] = [];
  for (const [mode, variable, value, what] of needs(settings))
    if (authMode === mode && value === null)
      problems.push(`CAIRN_AUTH_MODE="${mode}" needs ${variable}: ${what}.`);
  if (authMode === null)
    for (const [mode, variable, value] of needs(settings))
      if (value != null && variable !== 'CAIRN_CLAIM_NAMESPACE')
        problems.push(
          `${variable} is set, but CAIRN_AUTH_MODE is not, so callers would not be authenticated. Set CAIRN_AUTH_MODE=${mode}, or CAIRN_AUTH_MODE=disabled to serve without authentication.`,
        );
  return problems;
}

function needs({ oidcIssuerUrl, oidcAudience, authServiceBaseUrl, claimNamespace }: Partial<Settings>) {
  return [
    ['oidc', 'CAIRN_OIDC_ISSUER_URL', oidcIssuerUrl, 'the issuer of the tokens'],
    ['oidc', 'CAIRN_OIDC_AUDIENCE', oidcAudience, 'the audience of tokens for this service'],
    ['oidc', 'CAIRN_CLAIM_NAMESPACE', claimNamespace, 'the prefix of the claims that grant permissions'],
    ['auth_service', 'CAIRN_AUTH_SERVICE_BASE_URL', authServiceBaseUrl, 'the URL of the auth service'],
  ] as const;
}
