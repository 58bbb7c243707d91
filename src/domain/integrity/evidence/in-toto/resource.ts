import { z } from 'zod';
import { isCidUrn } from '../../identifiers/identifiers.ts';
import { digestLengths, isHex } from '../digests.ts';
import type { Thing } from '../evidence.ts';
import { folderUrn, uriReference } from '../things.ts';

/** What tells a subject. */
export const digests = z
  .record(z.string(), z.string().min(1, 'must not be empty'))
  .refine((set) => Object.keys(set).length > 0, 'must have a digest')
  .superRefine((set, { addIssue }) => {
    for (const [algorithm, value] of Object.entries(set)) {
      const length = digestLengths.get(algorithm);
      if (algorithm === '')
        addIssue({ code: 'custom', message: 'must name the algorithm', path: [algorithm] });
      if (length !== undefined && !isHex(value, length))
        addIssue({ code: 'custom', message: `must have ${length} hexadecimal digits`, path: [algorithm] });
    }
  });

/** A ResourceDescriptor, or a material of the formats before it. */
export const resource = z.looseObject({
  name: z.string().nullish(),
  uri: z.string().nullish(),
  digest: z.record(z.string(), z.string()).nullish(),
});

type Resource = z.output<typeof resource>;

/**
 * A resource as a thing. A Git commit has the same id, whichever version of the formats names it. The URN of a CID, as exports
 * write it, is this identifier if there is no digest, or if it is a folder with this digest.
 */
export function thingOf({ name, uri, digest }: Resource): Thing {
  const given = Object.entries(digest ?? {}).filter(([, value]) => value !== '');
  const alone = given.length === 0 && uri != null && isCidUrn(uri) ? uri : undefined;
  const id = alone ?? folderUrn(uri, Object.fromEntries(given));
  const called = name || (id === undefined ? uri : undefined);
  const isGit = uri?.startsWith('git+') || uri?.startsWith('git:');
  const named = given.map(([algorithm, value]) => [
    (isGit && algorithm === 'sha1') || isMislabelledCommit(algorithm, value) ? 'gitCommit' : algorithm,
    value,
  ]);
  return {
    ...(id !== undefined && { id }),
    ...(called && { name: nameForPeople(called), reference: uriReference(uri || called) }),
    ...(named.length > 0 && id === undefined && { digests: Object.fromEntries(named) }),
  };
}

/** GitLab Runner calls the commit that it builds `sha256`. */
function isMislabelledCommit(algorithm: string, value: string): boolean {
  return algorithm === 'sha256' && isHex(value, digestLengths.get('sha1') ?? 0);
}

const packageUrl = /^pkg:[^/]+\/([^?#]+)/i;
const repository =
  /^(?:git\+[a-z]+:\/\/|https?:\/\/(?=[^@#]+\.git(?:[@#]|$)))(?:[^@/]*@)?([^@#]+?)(?:\.git)?(?:[@#](?:refs\/(?:heads|tags)\/)?(.+))?$/i;
const witness = /^https:\/\/witness\.[a-z.]+\/attestations\/[^/]+\/v[\d.]+\/(?:file:)?(.+)$/;

/**
 * A package as `name@version`, a Git repository as `host/owner/name@branch`, and what witness names without its prefix. The
 * reference has the whole address.
 */
function nameForPeople(name: string): string {
  const [, path] = packageUrl.exec(name) ?? witness.exec(name) ?? [];
  if (path !== undefined) return decoded(path);
  const [, place, version] = repository.exec(name) ?? [];
  return place === undefined ? name : [place, version].filter(Boolean).join('@');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
