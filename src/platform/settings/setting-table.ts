import { admissionSettingTable } from './admission.ts';
import { controlPlaneSettingTable } from './control-plane.ts';
import { accessSettingTable, limitSettingTable, placeSettingTable } from './service.ts';
import type { ValuesOf } from './setting.ts';

/** Every setting of all services. `rules.ts` has the rules between them. */
export const settingTable = {
  ...placeSettingTable,
  ...accessSettingTable,
  ...limitSettingTable,
  ...controlPlaneSettingTable,
  ...admissionSettingTable,
};

/** The parts of the table, as the docs show them. */
export const settingSections = {
  'Service and storage': placeSettingTable,
  Access: accessSettingTable,
  Limits: limitSettingTable,
  'Control plane': controlPlaneSettingTable,
  'Admission webhook': admissionSettingTable,
};

export type Settings = ValuesOf<typeof settingTable>;

export type SettingName = keyof typeof settingTable;

export type ServedService = 'integrity' | 'control-plane';

/** The webhook has no store, so it shares nothing with the services. */
export type Served = ServedService | 'admission';

/** What the ids of credentials and status lists start with: CAIRN_PUBLIC_URL, or the address to listen on. */
export function publicUrlOf({
  publicUrl,
  host,
  port,
}: Pick<Settings, 'publicUrl' | 'host' | 'port'>): string {
  return publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

export function isUnauthenticated(service: Served, { authMode, authEnabled }: Partial<Settings>): boolean {
  // It has nothing to show, and the API server that calls it sends no token.
  if (service === 'admission') return false;
  return service === 'integrity' ? authMode === null || authMode === 'disabled' : authEnabled === false;
}

export function signsInByBrowser({ authEnabled, authIdpEnabled }: Partial<Settings>): boolean {
  return Boolean(authEnabled && authIdpEnabled);
}

/** Whether the tokens of people who sign in by browser are those that the integrity service asks for. */
export function sharesTokens(settings: Partial<Settings>): boolean {
  const { authMode, oidcIssuerUrl, authIdpIssuerUrl } = settings;
  const isSameIssuer = authMode !== 'oidc' || oidcIssuerUrl === authIdpIssuerUrl;
  return signsInByBrowser(settings) && !isUnauthenticated('integrity', settings) && isSameIssuer;
}

/**
 * Whether a service is at one address with the other one: in one process, or in processes that share a store and take the
 * same sessions.
 */
export function isBesideOther(services: readonly Served[], settings: Partial<Settings>): boolean {
  const { mongodbUrl, publicUrl, authIdpRedirectUrl: redirectUrl } = settings;
  if (services.length > 1) return true;
  if (!mongodbUrl || !publicUrl || !redirectUrl) return false;
  return sharesTokens(settings) && new URL(publicUrl).origin === new URL(redirectUrl).origin;
}

/** Whether callers of the control plane may send bearer tokens that are verified in this way. */
export function acceptsBearers(
  { authEnabled, authBearerEnabled, authBearerMode }: Partial<Settings>,
  mode: 'oidc' | 'auth_service',
): boolean {
  return Boolean(authEnabled && authBearerEnabled && authBearerMode === mode);
}

/** The value of a setting that the active mode requires. `readSettings` has checked that it is set. */
export function requiredValue<Value>(value: Value | null): Value {
  if (value === null) throw new TypeError('A setting that this mode needs is missing.');
  return value;
}
