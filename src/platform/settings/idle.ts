import { type Setting, writtenFlag } from './setting.ts';
import { type ServedService, type SettingName, type Settings, settingTable } from './setting-table.ts';

/** Settings of one way to know callers. */
interface Group {
  readonly service: ServedService;
  readonly names: readonly SettingName[];
  readonly isUsed: (settings: Settings) => boolean;
  /** What they count with, as an operator writes it. */
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
    condition: '-auth-enabled and -auth-idp-enabled, for sign-ins by browser alone',
  },
  {
    service: 'control-plane',
    names: ['authBearerIssuerUrl', 'authBearerClientId'],
    isUsed: (settings) => takesBearers(settings, 'oidc'),
    condition: '-auth-enabled, -auth-bearer-enabled and -auth-bearer-mode=oidc',
  },
  {
    service: 'control-plane',
    names: ['authBearerAuthServiceBaseUrl'],
    isUsed: (settings) => takesBearers(settings, 'auth_service'),
    condition: '-auth-enabled, -auth-bearer-enabled and -auth-bearer-mode=auth_service',
  },
];

function takesBearers({ authEnabled, authBearerEnabled, authBearerMode }: Settings, mode: string): boolean {
  return authEnabled && authBearerEnabled && authBearerMode === mode;
}

/** A sentence for each setting that somebody has set and that another one makes idle. */
export function idleSettings(settings: Settings, services: readonly ServedService[]): string[] {
  return groups
    .filter(({ service, isUsed }) => services.includes(service) && !isUsed(settings))
    .flatMap(({ names, condition }) =>
      names
        .filter((name) => settings[name] !== null)
        .map(
          (name) =>
            `${writtenName(settingTable[name])} is set and has no effect: it counts with ${condition}.`,
        ),
    );
}

function writtenName(setting: Setting<unknown>): string {
  return setting.hasGoFlag ? `${writtenFlag(setting)} (${setting.variable})` : setting.variable;
}
