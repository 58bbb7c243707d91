/** Scopes to report what agents do. A credential has them by default. */
export const reportingScopes = ['audit-exchanges', 'plugin-events', 'state-records'] as const;

/** Scopes to change who may read what. A credential has them only if they were asked for. */
export const guardedScopes = ['memberships', 'project-bindings'] as const;

/** One scope for each route below /v1/gateway. */
export const gatewayScopes = [...reportingScopes, ...guardedScopes] as const;

export type GatewayScope = (typeof gatewayScopes)[number];

export function isGuarded(scope: GatewayScope): boolean {
  return guardedScopes.some((guarded) => guarded === scope);
}

/** The holder of a gateway credential. */
export interface GatewayCaller {
  readonly issuer: string;
  /** The name of the gateway. */
  readonly subject: string;
  readonly means: 'gateway_credential';
  readonly scopes: ReadonlySet<GatewayScope>;
}

/** The holder of a registration token that is genuine and has not expired. The store knows whether it still counts. */
export interface Registrant {
  /** Who minted the token. */
  readonly issuer: string;
  readonly subject: string;
  readonly means: 'registration_token';
  readonly jti: string;
  readonly agentId: string;
}
