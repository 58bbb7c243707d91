import type { ServedService, Settings } from './setting-table.ts';

/** Faults of settings that are right one by one; those that are not were told already. */
export function contradictions(settings: Partial<Settings>, services: readonly ServedService[]): string[] {
  // The control plane alone has no jobs and signs nothing with that key.
  const isControlPlane = services.length > 0 && !services.includes('integrity');
  return [...(isControlPlane ? [] : storeFaults(settings)), ...modeFaults(settings)];
}

function storeFaults({ jobs, mongodbUrl, redisUrl, signingKeyFile }: Partial<Settings>): string[] {
  const faults: string[] = [];
  if (jobs === 'bullmq' && redisUrl === null)
    faults.push('CAIRN_JOBS="bullmq" needs a Redis: set CAIRN_REDIS_URL, or set CAIRN_JOBS=in-process.');
  if (mongodbUrl && redisUrl === null && jobs !== 'in-process')
    faults.push(
      'CAIRN_MONGODB_URL is set and CAIRN_REDIS_URL is not: set it, so that all processes share their jobs. If there is one process alone, set CAIRN_JOBS=in-process.',
    );
  if (mongodbUrl && signingKeyFile === null)
    faults.push(
      'CAIRN_MONGODB_URL is set, so that processes with data folders of their own sign for one service: set CAIRN_SIGNING_KEY_FILE to a key that all of them have. The README says how to make one.',
    );
  return faults;
}

/** What authentication needs, and what would look like authentication and be none. */
function modeFaults(settings: Partial<Settings>): string[] {
  const { authMode } = settings;
  const faults: string[] = [];
  for (const [mode, variable, value, what] of needs(settings))
    if (authMode === mode && value === null)
      faults.push(`CAIRN_AUTH_MODE="${mode}" needs ${variable}: ${what}.`);
  if (authMode === null)
    for (const [mode, variable, value] of needs(settings))
      if (value != null && variable !== 'CAIRN_CLAIM_NAMESPACE')
        faults.push(
          `${variable} is set and CAIRN_AUTH_MODE is not, so that nobody would be asked who they are. Set CAIRN_AUTH_MODE=${mode}, or =disabled if that is meant.`,
        );
  return faults;
}

function needs({ oidcIssuerUrl, oidcAudience, authServiceBaseUrl, claimNamespace }: Partial<Settings>) {
  return [
    ['oidc', 'CAIRN_OIDC_ISSUER_URL', oidcIssuerUrl, 'the issuer of the tokens'],
    ['oidc', 'CAIRN_OIDC_AUDIENCE', oidcAudience, 'what tokens for this service have as their audience'],
    ['oidc', 'CAIRN_CLAIM_NAMESPACE', claimNamespace, 'under it tokens say what their bearers may do'],
    ['auth_service', 'CAIRN_AUTH_SERVICE_BASE_URL', authServiceBaseUrl, 'the service that is asked'],
  ] as const;
}
