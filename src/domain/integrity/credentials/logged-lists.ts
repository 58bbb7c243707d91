import { loggedKind } from '../../log/appending/logged-kind.ts';
import { recordEntryOf } from '../../log/entries.ts';
import { sha256 } from '../../log/merkle/hashing.ts';
import { logNames } from '../../log/names.ts';
import { type SignedStatusList, signedStatusLists } from './status-entries.ts';

/** Each signed form of a list has an entry: of the credential, see docs/log.md. */
export const loggedStatusLists = loggedKind(signedStatusLists, {
  entries: ({ text, unlogged = [] }) =>
    [...unlogged, formDigest(text)].map((digest) => ({
      log: logNames.statusLists,
      bytes: recordEntryOf(Buffer.from(digest, 'base64url')),
      edition: digest,
    })),
  changing: ['version'],
  logged: { unlogged: [] },
});

/** The forms before the next one that may have no entry yet. */
export function unloggedForms(last: SignedStatusList | undefined): readonly string[] {
  return last?.isLogged === false ? [...last.unlogged, formDigest(last.text)] : [];
}

/** The text is the RFC 8785 form of the signed list. */
function formDigest(text: string): string {
  return Buffer.from(sha256(text)).toString('base64url');
}
