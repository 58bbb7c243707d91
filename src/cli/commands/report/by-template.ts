import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { counted } from '../../../contract/words/text.ts';
import { jcs } from '../../../domain/integrity/identification/jcs.ts';
import { cidOf, codecs, digestHex } from '../../../domain/integrity/identifiers/cid.ts';
import { withAttachments } from '../../../domain/integrity/manifest/attach.ts';
import { check } from '../../../domain/integrity/policies/check.ts';
import type { Facts } from '../../../domain/integrity/policies/facts.ts';
import {
  type FilledTemplate,
  fillTemplate,
  gapsIn,
} from '../../../domain/integrity/policies/fill-template.ts';
import type { Policy } from '../../../domain/integrity/policies/read-policy.ts';
import type { ReportSource } from '../../../domain/integrity/report/report.ts';
import { templatePage } from '../../../ui/template-report/template-page.ts';
import { type ApiClient, answerText, openClient } from '../../client/api-client.ts';
import { readClientSettings } from '../../client/client-settings.ts';
import { contextFolders } from '../../client/context-folders.ts';
import { fileToWrite } from '../../client/download.ts';
import { fileCid, openRandomAccess, writeWhole } from '../../client/local-files.ts';
import { failNo } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { printableLine, say, writeBytes, writeText } from '../../terminal/output.ts';
import { bytesRead } from '../../terminal/progress.ts';
import { askedFor } from '../check/asked.ts';
import { type Checked, checkOffline } from '../check/check-offline.ts';
import { checkWithService } from '../check/checked.ts';
import { unnamedService } from '../check/passed.ts';
import type { TrustFlags } from '../verify/verification-options.ts';
import type { CarriedFile } from '../verify/verify-manifest.ts';
import { exportEvidence } from './evidence-export.ts';
import { templatePolicy } from './template-policy.ts';

export interface TemplateFlags extends TrustFlags {
  readonly template: string;
  readonly output: string;
  readonly manifest?: string;
  readonly subject?: string;
  readonly car?: string;
  /** DIDs that a signer `service` means. */
  readonly service: readonly string[];
}

/**
 * Writes a filled template, and a CAR with what it rests on. With a CAR, the page is made from the CAR, so that its readers
 * get the same.
 * @throws Failure (no) if something was altered.
 */
export async function reportByTemplate(io: Io, target: string, flags: TemplateFlags): Promise<void> {
  const [output, car] = [await fileOf(io, flags.output), await fileOf(io, flags.car)];
  await using opened = new AsyncDisposableStack();
  const asked = await askedFor(io, target, flags.manifest);
  const policy = await templatePolicy(io, flags.template, asked.manifest);
  const subject = asked.manifest ? (asked.subject ?? flags.subject) : asked.subject;
  const given = asked.manifest && { manifest: asked.manifest, logKey: flags.logKey };
  const evidence = given ?? (car ? await exported(io, opened, policy, { ...flags, subject }) : undefined);
  const { filled, source } = evidence
    ? await ofManifest(io, evidence.manifest, policy, { ...flags, subject, logKey: evidence.logKey })
    : await ofService(io, policy, subject);
  const named = { logKeys: evidence?.logKey ?? [], serviceDids: flags.service };
  const names = { car: car && basename(car), ...named };
  const page = await templatePage({ ...filled, source, ...names });
  if (output) await writeWhole(output, page);
  else await writeBytes(io, Buffer.from(page));
  if (car && evidence) await writeCar(evidence.manifest, car, policy, page);
  const lines = [
    ...(output ? [`${printableLine(flags.output)}  ${counted(gapsIn(filled.check), 'gap')}\n`] : []),
    ...(car && output ? [`${printableLine(flags.car ?? '')}\n`] : []),
  ];
  await writeText(io, lines.join(''));
  if (filled.facts.some(({ faults }) => faults.length > 0))
    failNo('Verification failed. The report says why.');
}

async function fileOf({ cwd }: Pick<Io, 'cwd'>, path: string | undefined): Promise<string | undefined> {
  return path === undefined || path === '-' ? undefined : await fileToWrite(resolve(cwd, path));
}

async function ofManifest(
  io: Io,
  manifest: CarriedFile,
  policy: Policy,
  { subject, ...flags }: TemplateFlags & { readonly subject: string | undefined },
): Promise<{ filled: FilledTemplate; source: ReportSource }> {
  const { cid, size } = await fileCid(manifest.path, { codec: codecs.raw, multihash: 'blake3' });
  const source = { kind: 'manifest', file: basename(manifest.path), size, digest: digestHex(cid) } as const;
  const sources = await contextFolders(flags.contexts, readClientSettings(io));
  const question = { subject, policy, explain: true };
  const unnamed = unnamedService(policy, flags.service);
  if (unnamed !== undefined) say(io, unnamed);
  const beside = { ...flags, signer: [] };
  return {
    filled: await filledWith(policy, await checkOffline(manifest, question, sources, beside, bytesRead(io))),
    source,
  };
}

async function ofService(io: Io, policy: Policy, subject = '') {
  const settings = readClientSettings(io);
  const checked = await checkWithService(settings, { subject, policy, graph: undefined, explain: true });
  const source: ReportSource = { kind: 'service', url: openClient(settings).url };
  return { filled: await filledWith(policy, checked), source };
}

/** The same verdict again, from the facts that came with it. */
async function filledWith(policy: Policy, { answer }: Checked): Promise<FilledTemplate> {
  const facts = answer.verdicts.flatMap((verdict) => verdict.facts ?? []) as unknown as Facts[];
  const gathered = { facts, isCut: answer.truncated };
  return await fillTemplate(policy, {
    check: await check(policy, gathered, new Date(answer.checked_at)),
    facts,
  });
}

interface Evidence {
  readonly manifest: CarriedFile;
  /** The keys of logs that count. */
  readonly logKey: readonly string[];
}

/** The graphs behind what a service knows about the subject, in a temporary file, and the keys of its log. */
async function exported(
  io: Io,
  opened: AsyncDisposableStack,
  policy: Policy,
  { subject, logKey }: Pick<TemplateFlags, 'logKey'> & { readonly subject: string | undefined },
): Promise<Evidence> {
  const { filled } = await ofService(io, policy, subject);
  const folder = await mkdtemp(join(tmpdir(), 'cairn-report-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'evidence.car');
  const client = openClient(readClientSettings(io));
  await exportEvidence(io, client, filled.facts, path);
  const own = logKey.length > 0 ? logKey : await keysOfLog(client);
  return { manifest: { path, form: 'car' }, logKey: own };
}

async function keysOfLog(client: ApiClient): Promise<string[]> {
  const text = await answerText(await client.send('GET', '/log/v1/key'));
  return text.split('\n').filter((line) => line !== '');
}

async function writeCar(
  { path, form }: CarriedFile,
  car: string,
  policy: Policy,
  page: string,
): Promise<void> {
  await using file = await openRandomAccess(path);
  const attachments = [
    [codecs.jcs, Buffer.from(jcs(policy.source))],
    [codecs.raw, Buffer.from(page)],
  ] as const;
  const named = attachments.map(([codec, bytes]) => ({ cid: cidOf(codec, bytes), bytes }));
  await writeWhole(car, withAttachments(file, form, named));
}
