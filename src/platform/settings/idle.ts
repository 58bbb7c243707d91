import { type Setting, writtenFlag } from './setting.ts';
import { type ServedService, type SettingName, type Settings, settingTable } from './setting-table.ts';

/** Settings of one authentication method. */
interface Group {
  readonly service: ServedService;
  readonly names: readonly SettingName[];
  readonly isUsed: (settings: Settings) => boolean;
  /** When the settings apply, as an operator writes it. */
  readonly condition: string;
}

const groups: readonly Group[] = [
  {
    service: 'integrity',
    names: ['oidcIssuerUrl', 'oidcAudience'],
    isUsed: ({ authMode }) => authMode === 'oidc',
    condition: 'CAIRN_AUTH_MODE=oidc',
  },
  {
    service: 'integrity',
    names: ['authServiceBaseUrl'],
    isUsed: ({ authMode }) => authMode === 'auth_service',
    condition: 'CAIRN_AUTH_MODE=auth_service',
  },
  {
    service: 'control-plane',
    names: [
      'authIdpClientId',
      'authIdpClientSecret',
      'authIdpRedirectUrl',
      'authAllowedEmailDomains',
      'authBootstrapAdminEmail',
    ],
    isUsed: ({ authEnabled, authIdpEnabled }) => authEnabled && authIdpEnabled,
    condition: '-auth-enabled and -auth-idp-enabled (only for sign-ins by browser)',
  },
  {
    service: 'control-plane',
    names: ['authBearerIssuerUrl', 'authBearerClientId'],
    isUsed: (settings) => acceptsBearers(settings, 'oidc'),
    condition: '-auth-enabled, -auth-bearer-enabled and -auth-bearer-mode=oidc',
  },
  {
    service: 'control-plane',
    names: ['authBearerAuthServiceBaseUrl'],
    isUsed: (settings) => acceptsBearers(settings, 'auth_service'),
    condition: '-auth-enabled, -auth-bearer-enabled and -auth-bearer-mode=auth_service',
  },
];

function acceptsBearers({ authEnabled, authBearerEnabled, authBearerMode }: Settings, mode: string): boolean {
  return authEnabled && authBearerEnabled && authBearerMode === mode;
}

/** A sentence for each setting that is set but has no effect. */
export function idleSettings(settings: Settings, services: readonly ServedService[]): string[] {
  return groups
    .filter(({ service, isUsed }) => services.includes(service) && !isUsed(settings))
    .flatMap(({ names, condition }) =>
      names
        .filter((name) => settings[name] !== null)
        .map((name) => `${writtenName(settingTable[name])} is set but has no effect. It needs ${condition}.`),
    );
}

function writtenName(setting: Setting<unknown>): string {
  return setting.hasGoFlag ? `${writtenFlag(setting)} (${setting.variable})` : setting.variable;
}
