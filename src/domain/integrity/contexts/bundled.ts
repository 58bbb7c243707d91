import { contexts as credentials } from '@digitalbazaar/credentials-context';
import dataIntegrity from '@digitalbazaar/data-integrity-context';
import security from '@digitalbazaar/security-context';
import { contexts as bitstringStatusList } from '@digitalbazaar/vc-bitstring-status-list-context';
import statusList2021 from '@digitalbazaar/vc-status-list-context';
import did from 'did-context';
import ed25519Signature2020 from 'ed25519-signature-2020-context';
import { jcs } from '../identification/jcs.ts';
import { commonContexts } from './common.ts';
import { governanceContext, ownContext } from './own.ts';

/**
 * The text of every version of the service's own contexts and of the public common context, and of the W3C contexts from their
 * packages. Texts are made when they are asked for, because a process needs few of them.
 */
export const bundledContexts: ReadonlyMap<string, () => string> = new Map([
  ...texts(ownContext.versions),
  ...texts(governanceContext.versions),
  ...commonContexts,
  ...documents(credentials),
  ...documents(dataIntegrity.contexts),
  ...documents(security.contexts),
  ...documents(bitstringStatusList),
  ...documents(statusList2021.contexts),
  ...documents(did.contexts),
  ...documents(ed25519Signature2020.contexts),
]);

export function bundledTexts(): [string, string][] {
  return Array.from(bundledContexts, ([url, text]) => [url, text()]);
}

function texts(versions: ReadonlyMap<string, string>): [string, () => string][] {
  return [...versions].map(([url, text]) => [url, () => text]);
}

function documents(contexts: ReadonlyMap<string, unknown>): [string, () => string][] {
  return [...contexts].map(([url, document]) => [url, () => jcs(document)]);
}
