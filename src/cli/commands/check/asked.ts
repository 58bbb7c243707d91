import { resolve } from 'node:path';
import { cidUrn } from '../../../domain/integrity/identifiers/cid.ts';
import { parseIdentifier } from '../../../domain/integrity/identifiers/identifiers.ts';
import { cidOfPath } from '../../client/identifier-or-file.ts';
import { pathKind } from '../../client/local-files.ts';
import { manifestForm } from '../../client/manifest-form.ts';
import { failUsage } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import type { CarriedFile } from '../verify/verify-manifest.ts';

/** What a check is about. */
export interface Asked {
  /** An identifier, a digest or a name. Undefined for the results of the manifest. */
  readonly subject: string | undefined;
  /** Undefined if the service answers. */
  readonly manifest: CarriedFile | undefined;
  /** The file or folder that was named. */
  readonly path: string | undefined;
}

/** @throws Failure (usage) */
export async function askedFor(io: Io, text: string, manifest: string | undefined): Promise<Asked> {
  const carried = manifest === undefined ? undefined : await carriedIn(io, manifest);
  if (manifest !== undefined && !carried)
    failUsage(`${manifest} is not a manifest. "cairn export" makes one.`);
  const id = identifierIn(text);
  if (id !== undefined) return { subject: id, manifest: carried, path: undefined };
  const kind = text === '' ? undefined : await pathKind(resolve(io.cwd, text));
  if (!kind) return { subject: text, manifest: carried, path: undefined };
  const own = !carried && kind === 'file' ? await carriedIn(io, text) : undefined;
  if (own) return { subject: undefined, manifest: own, path: text };
  const cid = await cidOfPath(io, text);
  return { subject: cid ? cidUrn(cid) : text, manifest: carried, path: text };
}

async function carriedIn({ cwd }: Pick<Io, 'cwd'>, file: string): Promise<CarriedFile | undefined> {
  const path = resolve(cwd, file);
  const kind = await pathKind(path);
  if (kind !== 'file') failUsage(kind ? `${file} is not a file.` : `${file} does not exist.`);
  const form = await manifestForm(path);
  return form && { path, form };
}

function identifierIn(text: string): string | undefined {
  try {
    return parseIdentifier(text);
  } catch {
    return undefined;
  }
}
