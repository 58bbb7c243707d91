import {
  acceptsBearers,
  type ServedService,
  type SettingName,
  type Settings,
  signsInByBrowser,
} from './setting-table.ts';

/** Settings as far as they are valid one by one. Invalid ones are undefined, and have a problem already. */
export type Given = Partial<Settings>;

/** A way to authenticate callers. */
interface Mode {
  readonly service: ServedService;
  /** How an operator chooses it. */
  readonly choice: string;
  readonly isChosen: (given: Given) => boolean;
  /** Settings that the mode requires. */
  readonly needs: readonly SettingName[];
  /** Settings that have no effect in other modes. */
  readonly own: readonly SettingName[];
}

export const modes: readonly Mode[] = [
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
    isChosen: signsInByBrowser,
    needs: ['authStateSecret', 'authIdpClientId', 'authIdpClientSecret', 'authIdpRedirectUrl'],
    own: ['authIdpClientId', 'authIdpClientSecret', 'authIdpRedirectUrl', 'authBootstrapAdminEmail'],
  },
  {
    service: 'control-plane',
    choice: '-auth-enabled, -auth-bearer-enabled and -auth-bearer-mode=oidc',
    isChosen: (given) => acceptsBearers(given, 'oidc'),
    needs: ['authBearerIssuerUrl', 'authBearerClientId'],
    own: ['authBearerIssuerUrl', 'authBearerClientId'],
  },
  {
    service: 'control-plane',
    choice: '-auth-enabled and -auth-idp-enabled, or ID tokens as bearer tokens',
    isChosen: (given) => signsInByBrowser(given) || acceptsBearers(given, 'oidc'),
    needs: [],
    own: ['authAllowedEmailDomains'],
  },
];
