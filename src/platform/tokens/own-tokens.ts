import { decodeProtectedHeader } from 'jose';

/** The types of the tokens that this service signs itself. */
export const ownTypes = {
  registration: 'agent-registration+jwt',
  gateway: 'gateway-credential+jwt',
} as const;

/** Whether a token says that it is one of this service's own. They are never shown to other services. */
export function isOwnToken(token: string): boolean {
  try {
    const { typ } = decodeProtectedHeader(token);
    return Object.values<string | undefined>(ownTypes).includes(typ);
  } catch {
    return false;
  }
}
