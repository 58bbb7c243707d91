import { type Command, Option } from 'commander';
import { stringify } from 'yaml';
import type { Policy } from '../../../domain/integrity/policies/read-policy.ts';
import { readClientSettings } from '../../client/client-settings.ts';
import { contextFolders } from '../../client/context-folders.ts';
import { failUsage } from '../../terminal/failure.ts';
import { shownIdentifier } from '../../terminal/identifier.ts';
import type { Io } from '../../terminal/io.ts';
import { indented, say, writeText } from '../../terminal/output.ts';
import { bytesRead } from '../../terminal/progress.ts';
import { templatePolicy } from '../report/template-policy.ts';
import { addServiceOption, addTrustOptions, type TrustFlags } from '../verify/verification-options.ts';
import type { CarriedFile } from '../verify/verify-manifest.ts';
import { type Asked, askedFor } from './asked.ts';
import { type Checked, checkOffline } from './check-offline.ts';
import { checkText } from './check-text.ts';
import { checkWithService, explaining } from './checked.ts';
import { failUnlessPassed, unnamedService } from './passed.ts';

interface CheckFlags extends TrustFlags {
  readonly policy?: string;
  readonly manifest?: string;
  readonly graph?: string;
  readonly json?: true;
  readonly sarif?: true;
  readonly junit?: true;
  readonly explain?: true;
  readonly service: readonly string[];
}

const notes = `
The subject is a file or folder, which is hashed, a CID, a digest such as sha256:… (also behind the name of an image), a name,
the UUID of a graph, or the DID of an agent. A graph and a manifest are checked by their results, from which nothing else
was made.

The service answers, and reads what you may see. With --manifest, or for a manifest, the answer is made offline from that
file, and everything in it is verified first. "cairn policy --help" says more about policies.

Each rule passes, fails or cannot be told. Below it is why, what would add what is missing ($), and the statements that decided
(by). --explain prints what conditions can read; with --json that is what the examples of a policy take as "facts".

Exit codes: 0 pass; 1 fail; 2 faulty policy or wrong usage; 3 the service cannot be reached; 4 cannot tell.

Examples:
  $ cairn check model.bin --policy release.yaml
  $ cairn check ghcr.io/example/app@sha256:4bf5… --policy release.yaml --junit > cairn.xml
  $ cairn check evidence.car --policy release.yaml
  $ cairn check model.bin --manifest evidence.car --policy release.yaml --sarif > cairn.sarif
  $ cairn check model.bin --explain`;

export function checkCommand(program: Command, io: Io): void {
  const forms = ['json', 'sarif', 'junit'];
  const form = (name: string, description: string) =>
    new Option(`--${name}`, description).conflicts(forms.filter((other) => other !== name));
  const command = program
    .command('check')
    .description('decide by a policy whether the evidence about something is enough')
    .argument('<subject>', 'a file, folder, CID, digest, name, DID, graph or manifest')
    .option('--policy <file>', 'the policy, in YAML or JSON, or a template of cairn report')
    .option('--manifest <file>', 'answer offline, from this manifest')
    .option('--graph <graph>', 'read only what this graph holds (UUID or name)')
    .addOption(form('json', 'print JSON'))
    .addOption(form('sarif', 'print SARIF 2.1.0, for code scanning').conflicts('explain'))
    .addOption(form('junit', 'print JUnit XML, for the test reports of CI').conflicts('explain'))
    .option('--explain', 'print the facts that conditions can read');
  addServiceOption(addTrustOptions(command))
    .addHelpText('after', notes)
    .action(async (subject: string, flags: CheckFlags) => await checkSubject(io, subject, flags));
}

async function checkSubject(io: Io, text: string, flags: CheckFlags): Promise<void> {
  if (flags.policy === undefined && !flags.explain)
    failUsage('Name a policy with --policy, or use --explain.');
  const asked = await askedFor(io, text, flags.manifest);
  const policy =
    flags.policy === undefined ? explaining() : await templatePolicy(io, flags.policy, asked.manifest);
  const checked = asked.manifest
    ? await askManifest(io, asked.manifest, asked, policy, flags)
    : await askService(io, asked, policy, flags);
  await writeText(io, await shown(checked, policy, asked, flags));
  if (flags.policy !== undefined) failUnlessPassed(checked, policy);
}

async function askManifest(
  io: Io,
  manifest: CarriedFile,
  { subject }: Asked,
  policy: Policy,
  flags: CheckFlags,
): Promise<Checked> {
  const { graph, explain = false } = flags;
  if (graph !== undefined) failUsage('--graph is for the service. A manifest is checked as a whole.');
  const unnamed = unnamedService(policy, flags.service);
  if (unnamed !== undefined) say(io, unnamed);
  const sources = await contextFolders(flags.contexts, readClientSettings(io));
  return await checkOffline(
    manifest,
    { subject, policy, explain },
    sources,
    { ...flags, signer: [] },
    bytesRead(io),
  );
}

async function askService(
  io: Io,
  { subject = '' }: Asked,
  policy: Policy,
  flags: CheckFlags,
): Promise<Checked> {
  const { contexts, keys, statusList, statusIssuer, logKey, logPolicy, graph, explain = false } = flags;
  const isOffline = [contexts, keys, statusList, statusIssuer, logKey, flags.service].some(
    ({ length }) => length > 0,
  );
  if (isOffline || logPolicy !== undefined)
    failUsage(
      '--contexts, --keys, --status-…, --log-… and --service are for manifests. Name one with --manifest.',
    );
  return await checkWithService(readClientSettings(io), { subject, policy, graph, explain });
}

async function shown(
  { answer, names }: Checked,
  policy: Policy,
  asked: Asked,
  flags: CheckFlags,
): Promise<string> {
  const named = (id: string) => shownIdentifier(id, names.get(id));
  const facts = answer.verdicts.flatMap((verdict) => (verdict.facts ? [verdict.facts] : []));
  if (flags.explain && flags.json) return facts.map((each) => `${JSON.stringify(each)}\n`).join('');
  if (flags.json) return indented(answer);
  if (flags.sarif) {
    const { sarifLog } = await import('./sarif.ts');
    const file = asked.path ?? flags.policy ?? '';
    return indented(sarifLog({ answer, policy: policy.document, file, named }));
  }
  if (flags.junit) return (await import('./junit.ts')).junitXml(answer, policy.document.name, named);
  const verdict = flags.policy === undefined ? '' : checkText(answer, named);
  return verdict + (flags.explain ? facts.map(factsText).join('---\n') : '');
}

/** Facts as YAML, without empty lists and without what only names statements. */
function factsText(facts: object): string {
  const shown = (key: string, value: unknown) =>
    ['said_by', 'said_with', 'logged'].includes(key) || (Array.isArray(value) && value.length === 0)
      ? undefined
      : value;
  return stringify(JSON.parse(JSON.stringify(facts, shown)), { lineWidth: 0 });
}
