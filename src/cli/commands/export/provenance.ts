import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { inTotoType, signDsse } from '../../../domain/integrity/proofs/dsse.ts';
import { openSigner } from '../../../platform/key-file-signer.ts';
import { answerText, openClient } from '../../client/api-client.ts';
import { readClientSettings } from '../../client/client-settings.ts';
import { fileToWrite } from '../../client/download.ts';
import { identifierOrFile } from '../../client/identifier-or-file.ts';
import { failUsage } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { printableLine, writeText } from '../../terminal/output.ts';

interface ProvenanceFlags {
  readonly output: string;
  readonly format: string;
  readonly sign?: string | true;
  readonly json?: true;
}

/** Writes what an artefact was made from in a format of other tools. */
export async function exportProvenance(
  io: Io,
  [artefact, ...more]: readonly string[],
  { output, format, sign, json }: ProvenanceFlags,
): Promise<void> {
  if (artefact === undefined || more.length > 0)
    failUsage(`--format ${format} is about one artefact. Name a CID or a file.`);
  if (sign !== undefined && format !== 'slsa') failUsage('--sign needs --format slsa.');
  const file = output === '-' ? undefined : await fileToWrite(output);
  const signer =
    typeof sign === 'string' ? await openSigner(resolve(io.cwd, sign), { mayCreate: false }) : undefined;
  const client = openClient(readClientSettings(io));
  const id = await identifierOrFile(io, artefact);
  const query = new URLSearchParams({ format: sign === true ? 'slsa-dsse' : format });
  const response = await client.send('GET', `/lineage/v1/${encodeURIComponent(id)}/provenance?${query}`);
  const lines: string[] = [];
  for (const line of (await answerText(response)).trimEnd().split('\n'))
    lines.push(signer ? JSON.stringify(await signDsse(signer, inTotoType, Buffer.from(line))) : line);
  const text = `${lines.join('\n')}\n`;
  if (file === undefined) return await writeText(io, text);
  await writeFile(file, text);
  const bytes = Buffer.byteLength(text);
  await writeText(
    io,
    json ? `${JSON.stringify({ file: output, bytes })}\n` : `${printableLine(output)}  ${bytes} bytes\n`,
  );
}
