/** What a gateway may report: one scope for each route below /v1/gateway. */
export const gatewayScopes = [
  'audit-exchanges',
  'plugin-events',
  'state-records',
  'memberships',
  'project-bindings',
] as const;

export type GatewayScope = (typeof gatewayScopes)[number];

/** The holder of a gateway credential. */
export interface GatewayCaller {
  readonly issuer: string;
  /** The name of the gateway. */
  readonly subject: string;
  readonly means: 'gateway_credential';
  readonly scopes: ReadonlySet<string>;
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
