import type { ServedService, Settings } from './setting-table.ts';

/** Problems of settings that are right one by one; those that are not were told already. */
export function contradictions(settings: Partial<Settings>, services: readonly ServedService[]): string[] {
  // The control plane alone has no jobs and signs nothing with that key.
  const isControlPlane = services.length > 0 && !services.includes('integrity');
  return [...(isControlPlane ? [] : storeProblems(settings)), ...modeProblems(settings)];
}

function storeProblems({ jobs, mongodbUrl, redisUrl, signingKeyFile }: Partial<Settings>): string[] {
  const problems: string[] = [];
  if (jobs === 'bullmq' && redisUrl === null)
    problems.push('CAIRN_JOBS="bullmq" needs a Redis: set CAIRN_REDIS_URL, or set CAIRN_JOBS=in-process.');
  if (mongodbUrl && redisUrl === null && jobs !== 'in-process')
    problems.push(
      'CAIRN_MONGODB_URL is set and CAIRN_REDIS_URL is not: set it, so that all processes share their jobs. If there is only one process, set CAIRN_JOBS=in-process.',
    );
  if (mongodbUrl && signingKeyFile === null)
    problems.push(
      'CAIRN_MONGODB_URL is set and CAIRN_SIGNING_KEY_FILE is not: set it to a key file that all processes share. docs/operating.md says how to make one.',
    );
  return problems;
}

/** What authentication needs, and what would look like authentication and be none. */
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
          `${variable} is set and CAIRN_AUTH_MODE is not, so that nobody would be asked who they are. Set CAIRN_AUTH_MODE=${mode}, or =disabled if that is meant.`,
        );
  return problems;
}

function needs({ oidcIssuerUrl, oidcAudience, authServiceBaseUrl, claimNamespace }: Partial<Settings>) {
  return [
    ['oidc', 'CAIRN_OIDC_ISSUER_URL', oidcIssuerUrl, 'the issuer of the tokens'],
    ['oidc', 'CAIRN_OIDC_AUDIENCE', oidcAudience, 'what tokens for this service have as their audience'],
    ['oidc', 'CAIRN_CLAIM_NAMESPACE', claimNamespace, 'under it tokens say what their bearers may do'],
    ['auth_service', 'CAIRN_AUTH_SERVICE_BASE_URL', authServiceBaseUrl, 'the service that is asked'],
  ] as const;
}
