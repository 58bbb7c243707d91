import { type Setting, writtenFlag } from './setting.ts';
import { type ServedService, type SettingName, type Settings, settingTable } from './setting-table.ts';

/** A way to authenticate callers. */
interface Mode {
  readonly service: ServedService;
  /** How an operator chooses it. */
  readonly choice: string;
  readonly isChosen: (settings: Partial<Settings>) => boolean;
  /** Settings that the mode requires. */
  readonly needs: readonly SettingName[];
  /** Settings that have no effect in other modes. */
  readonly own: readonly SettingName[];
}

const modes: readonly Mode[] = [
  {
    service: 'integrity',
    choice: 'CAIRN_AUTH_MODE=oidc',
    isChosen: ({ authMode }) => authMode === 'oidc',
    needs: ['oidcIssuerUrl', 'oidcAudience', 'claimNamespace'],
    own: ['oidcIssuerUrl', 'oidcAudience'],
  },
  {
    service: 'integrity',
    choice: 'CAIRN_AUTH_MODE=auth_service',
    isChosen: ({ authMode }) => authMode === 'auth_service',
    needs: ['authServiceBaseUrl'],
    own: ['authServiceBaseUrl'],
  },
  {
    service: 'control-plane',
    choice: '-auth-enabled and -auth-idp-enabled (only for sign-ins by browser)',
    isChosen: ({ authEnabled = false, authIdpEnabled = false }) => authEnabled && authIdpEnabled,
    needs: ['authStateSecret', 'authIdpClientId', 'authIdpClientSecret', 'authIdpRedirectUrl'],
    own: ['authIdpClientId', 'authIdpClientSecret', 'authIdpRedirectUrl', 'authBootstrapAdminEmail'],
  },
  {
    service: 'control-plane',
    choice: '-auth-enabled, -auth-bearer-enabled and -auth-bearer-mode=oidc',
    isChosen: (settings) => acceptsBearers(settings, 'oidc'),
    needs: ['authBearerIssuerUrl', 'authBearerClientId'],
    own: ['authBearerIssuerUrl', 'authBearerClientId'],
  },
  {
    service: 'control-plane',
    choice: '-auth-enabled and -auth-idp-enabled, or ID tokens as bearer tokens',
    isChosen: (settings) =>
      Boolean(settings.authEnabled && settings.authIdpEnabled) || acceptsBearers(settings, 'oidc'),
    needs: [],
    own: ['authAllowedEmailDomains'],
  },
];

export function acceptsBearers(
  { authEnabled, authBearerEnabled, authBearerMode }: Partial<Settings>,
  mode: string,
): boolean {
  return Boolean(authEnabled && authBearerEnabled && authBearerMode === mode);
}

/** A problem for each setting that a chosen mode requires. Invalid settings, which are undefined, have one already. */
export function missingSettings(settings: Partial<Settings>): string[] {
  return modes
    .filter(({ isChosen }) => isChosen(settings))
    .flatMap(({ needs, choice }) =>
      needs
        .filter((name) => settings[name] === null)
        .map((name) => `${written(name, 'is not set')}. It is required with ${choice}.`),
    );
}

/** A sentence for each setting that is set but has no effect. */
export function idleSettings(settings: Settings, services: readonly ServedService[]): string[] {
  return modes
    .filter(({ service, isChosen }) => services.includes(service) && !isChosen(settings))
    .flatMap(({ own, choice }) =>
      own
        .filter((name) => settings[name] !== null)
        .map((name) => `${written(name)} is set but has no effect. It needs ${choice}.`),
    );
}

/** Settings of a mode without any CAIRN_AUTH_MODE are an error, because callers would not be authenticated. */
export function unchosenModes(settings: Partial<Settings>): string[] {
  if (settings.authMode !== null) return [];
  return modes
    .filter(({ service }) => service === 'integrity')
    .flatMap(({ own, choice }) =>
      own
        .filter((name) => settings[name] != null)
        .map(
          (name) =>
            `${written(name)} is set, but CAIRN_AUTH_MODE is not, so callers would not be authenticated. Set ${choice}, or CAIRN_AUTH_MODE=disabled to serve without authentication.`,
        ),
    );
}

function written(name: SettingName, is = ''): string {
  const setting: Setting<unknown> = settingTable[name];
  const words = setting.hasGoFlag
    ? [writtenFlag(setting), is, `(${setting.variable})`]
    : [setting.variable, is];
  return words.filter(Boolean).join(' ');
}
