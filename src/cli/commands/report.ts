import { realpath } from 'node:fs/promises';
import type { Command } from 'commander';
import type { ManifestForm } from '../../domain/integrity/manifest/carrier.ts';
import { answerText, openClient } from '../client/api-client.ts';
import { readClientSettings } from '../client/client-settings.ts';
import { contextFolders } from '../client/context-folders.ts';
import { fileToWrite } from '../client/download.ts';
import { identifierOrFile } from '../client/identifier-or-file.ts';
import { pathKind, writeWhole } from '../client/local-files.ts';
import { manifestForm } from '../client/manifest-form.ts';
import { failNo, failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { printableLine, table, writeBytes, writeText } from '../terminal/output.ts';
import { bytesRead } from '../terminal/progress.ts';
import { unmetRequirement } from './verify/requirements.ts';
import {
  addServiceOption,
  addVerificationOptions,
  hasTrustFlags,
  type VerificationFlags,
} from './verify/verification-options.ts';

interface ReportFlags extends VerificationFlags {
  readonly output?: string;
  readonly subject?: string;
  readonly template?: string;
  readonly templates?: true;
  readonly manifest?: string;
  readonly car?: string;
  readonly service: readonly string[];
}

const notes = `
The report is one HTML file for people: what something is, what it was made from, who says so, whether that is signed and
stands, what was verified, what is missing, and how to check it. It needs no other file and loads nothing. It prints well.

From a manifest the report is made offline, and everything in it is verified. It is about the results, from which nothing
else was made, or about --subject. For an id or another file the service makes it.

FILE is replaced if it exists, and appears only when it is complete.

--signer and --keys say whom you trust, and the report says what they signed. Without them it says only whether something
was altered, and who signed.

With --template, the report is about what a law or a standard demands: the gaps first, then each chapter with what is known, and
the statements that it rests on. TEMPLATE is a name that --templates prints, or a file: a policy with chapters. --manifest makes
it offline. --car also writes a CAR with the evidence, the template and the report. Then the report is made from the CAR, so
that its readers get the same.

Exit codes: 0 written; 1 written, but verification failed, or not what --require-… asks for; 2 wrong usage; 3 the service cannot
be reached; 4 with --template, nobody knows the subject.

Examples:
  $ cairn report evidence.car -o report.html
  $ cairn report evidence.car --signer did:key:z6Mk… -o report.html
  $ cairn report evidence.car --subject model.bin -o report.html
  $ cairn report bafkr4i… -o report.html
  $ cairn report --templates
  $ cairn report model.bin --template eu-ai-act-annex-iv -o annex-iv.html --car annex-iv.car
  $ cairn report model.bin --template model-card --manifest evidence.car -o card.html`;

export function reportCommand(program: Command, io: Io): void {
  const command = program
    .command('report')
    .description(
      'write a report for an auditor: origins, authors, signatures and verification, as one HTML file',
    )
    .argument(
      '[manifest or id]',
      'a manifest, a CID, UUID or DID, or a file or folder whose origins are stored',
    )
    .option('-o, --output <file>', 'the file to write, or - for standard output')
    .option('--subject <id or name>', 'what in the manifest the report is about')
    .option('--template <name or file>', 'report on what a law or a standard demands')
    .option('--manifest <file>', 'with --template: make it offline, from this manifest')
    .option(
      '--car <file>',
      'with --template: also write the evidence, the template and the report as one CAR',
    )
    .option('--templates', 'list the templates');
  addServiceOption(addVerificationOptions(command))
    .addHelpText('after', notes)
    .action(async (target: string | undefined, flags: ReportFlags) => await asked(io, target, flags));
}

async function asked(io: Io, target: string | undefined, flags: ReportFlags): Promise<void> {
  const { output, template, manifest, car } = flags;
  if (flags.templates) return await writeText(io, await templateList());
  if (target === undefined) failUsage('Name what the report is about: a manifest, an identifier or a file.');
  if (output === undefined) failUsage('Say where to write the report: -o FILE, or -o - to print it.');
  if (template === undefined) {
    if (manifest !== undefined || car !== undefined || flags.service.length > 0)
      failUsage('--manifest, --car and --service are for reports with --template.');
    return await report(io, target, { ...flags, output });
  }
  if (flags.signer.length > 0 || flags.requireSigner || flags.requireStatus || flags.requireComplete)
    failUsage(
      '--signer and --require-… are for reports without --template. A template names signers itself: copy it, and fill in `signers`.',
    );
  const { reportByTemplate } = await import('./report/by-template.ts');
  await reportByTemplate(io, target, { ...flags, template, output });
}

async function templateList(): Promise<string> {
  const { templateNamed, templateNames } = await import('../../ui/template-report/templates.ts');
  return table(templateNames.map((name) => [name, templateNamed(name)?.document.title ?? '']));
}

async function report(
  io: Io,
  target: string,
  flags: ReportFlags & { readonly output: string },
): Promise<void> {
  const { output } = flags;
  const file = output === '-' ? undefined : await fileToWrite(output);
  const isFile = (await pathKind(target)) === 'file';
  if (isFile && file === (await realpath(target)))
    failUsage(`The report would replace ${target}. Write it to another file.`);
  const form = isFile ? await manifestForm(target) : undefined;
  const made = form ? ofManifest(io, target, form, flags) : ofService(io, target, flags);
  const { page, problem } = await made;
  if (file === undefined) await writeBytes(io, Buffer.from(page));
  else {
    await writeWhole(file, page);
    await writeText(io, `${printableLine(output)}  ${Buffer.byteLength(page)} bytes\n`);
  }
  if (problem !== undefined) failNo(problem);
}

/** The page, and why the answer is no. */
async function ofManifest(io: Io, path: string, form: ManifestForm, flags: ReportFlags) {
  const folders = await contextFolders(flags.contexts, readClientSettings(io));
  // Imported here, because it loads most of the program.
  const { manifestReport } = await import('./report/manifest-report.ts');
  const { reportPage } = await import('../../ui/report/report-page.ts');
  const made = await manifestReport({ path, form }, folders, flags, bytesRead(io));
  const problem =
    faultProblem(made.checks.faults.count) ?? unmetRequirement(made.trusted, made.judgement, flags);
  return { page: await reportPage(made), problem };
}

async function ofService(io: Io, target: string, flags: ReportFlags) {
  const { subject = [], contexts } = flags;
  if (subject.length > 0 || contexts.length > 0 || hasTrustFlags(flags))
    failUsage(
      `--subject, --contexts, --status-…, --signer, --keys and --require-… are for manifests, and ${target} is not a manifest. Remove them.`,
    );
  const path = `/report/v1/${encodeURIComponent(await identifierOrFile(io, target))}`;
  const response = await openClient(readClientSettings(io)).send('GET', path);
  const faults = Number(response.headers.get('cairn-report-problems') ?? 0);
  return { page: await answerText(response), problem: faultProblem(faults) };
}

function faultProblem(faults: number): string | undefined {
  return faults > 0 ? 'Verification failed. The report says why.' : undefined;
}
