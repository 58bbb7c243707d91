import { resolve } from 'node:path';
import { type Cid, cidIn } from '../../../domain/integrity/identifiers/cid.ts';
import { wholeOf } from '../../../domain/integrity/manifest/blobs.ts';
import { openCarrier } from '../../../domain/integrity/manifest/carrier.ts';
import { type Policy, policyLimit, readPolicy } from '../../../domain/integrity/policies/read-policy.ts';
import { templateNamed, templateNames } from '../../../ui/template-report/templates.ts';
import { openRandomAccess, pathKind } from '../../client/local-files.ts';
import { failUsage } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { readPolicyFile } from '../policy/policy-file.ts';
import type { CarriedFile } from '../verify/verify-manifest.ts';

/**
 * The policy that somebody names: a template of Cairn, a file, or the CID of one that the manifest carries.
 * @throws Failure (usage)
 */
export async function templatePolicy(
  io: Pick<Io, 'cwd'>,
  text: string,
  manifest: CarriedFile | undefined,
): Promise<Policy> {
  const own = templateNamed(text);
  if (own) return own;
  const cid = cidIn(text);
  if (cid && manifest) return await carriedPolicy(manifest, cid);
  if (await pathKind(resolve(io.cwd, text))) return await readPolicyFile(io, text);
  return failUsage(
    `There is no policy or template ${JSON.stringify(text.slice(0, 200))}, and no such file. Templates: ${templateNames.join(', ')}.`,
  );
}

async function carriedPolicy({ path, form }: CarriedFile, cid: Cid): Promise<Policy> {
  await using file = await openRandomAccess(path);
  const { allBlobs } = await openCarrier(file, form);
  for await (const blob of allBlobs()) {
    if (blob.cid().text !== cid.text || blob.size > policyLimit) continue;
    const read = readPolicy((await wholeOf(blob)).toString());
    if ('policy' in read && read.policy.cid === cid.text) return read.policy;
    failUsage(`${cid.text} in the manifest is not a policy.`);
  }
  return failUsage(`The manifest does not carry ${cid.text}.`);
}
