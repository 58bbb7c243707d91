import { fileChunks } from '../cli/client/local-files.ts';
import { manifestForm } from '../cli/client/manifest-form.ts';
import { checkOffline } from '../cli/commands/check/check-offline.ts';
import { checkText } from '../cli/commands/check/check-text.ts';
import { readPolicyFile } from '../cli/commands/policy/policy-file.ts';
import { exitCodes, Failure } from '../cli/terminal/failure.ts';
import { shownIdentifier } from '../cli/terminal/identifier.ts';
import { indented } from '../cli/terminal/output.ts';
import type { CheckAnswer } from '../contract/integrity/checks.ts';
import { resultLabel } from '../contract/words/verdicts.ts';
import { messageOf, ServiceError } from '../domain/errors.ts';
import { cidUrn, codecs, makeCid } from '../domain/integrity/identifiers/cid.ts';
import { hasher } from '../domain/integrity/identifiers/hashing.ts';
import type { Policy } from '../domain/integrity/policies/read-policy.ts';
import type { Outcome } from './collected.ts';
import { commandLine } from './command-line.ts';

type Beside = Parameters<typeof checkOffline>[3];

/** A dropped policy, or what is said about a faulty one. */
export type ReadPolicy =
  | { readonly path: string; readonly policy: Policy }
  | { readonly path: string; readonly outcome: Outcome };

export async function readDroppedPolicy(path: string): Promise<ReadPolicy> {
  try {
    return { path, policy: await readPolicyFile({ cwd: '' }, path) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const problems = error.message.split('\n');
    const headline =
      problems.length === 1 ? 'The policy is faulty' : `The policy has ${problems.length} faults`;
    const command = commandLine('cairn check MANIFEST', [['--policy', [path]]]);
    return { path, outcome: { ...sayingNothing, path, headline, findings: problems, command } };
  }
}

/** What a policy is applied to. */
export interface PolicyCheck {
  readonly manifest: string;
  readonly policyPath: string;
  readonly policy: Policy;
  /** What it is about, a file or an identifier or a name. Without, the results of the manifest. */
  readonly file?: string;
  readonly name?: string;
}

const resultTones = { pass: 'good', fail: 'bad', cannot_tell: 'neutral' } as const;
const resultCodes = { pass: exitCodes.done, fail: exitCodes.no, cannot_tell: exitCodes.cannotTell } as const;

/** Says what `cairn check` says. */
export async function checkPolicy(
  { manifest, policyPath, policy, file, name }: PolicyCheck,
  beside: Beside,
  onRead: (bytes: number) => void,
): Promise<Outcome> {
  const about = file ?? name;
  const path = `${policyPath} on ${about === undefined ? manifest : `${about} in ${manifest}`}`;
  const command = commandLine('cairn check', [
    ['', [about ?? manifest]],
    ['--manifest', about === undefined ? [] : [manifest]],
    ['--policy', [policyPath]],
    ['--keys', beside.keys],
    ['--status-list', beside.statusList],
    ['--log-key', beside.logKey],
    ['--log-policy', beside.logPolicy === undefined ? [] : [beside.logPolicy]],
    ['--service', beside.service],
  ]);
  const named = { ...sayingNothing, path, command };
  try {
    const form = await manifestForm(manifest);
    if (!form) throw new TypeError(`${manifest} is not a manifest.`);
    const subject = file === undefined ? name : await identifierOf(file);
    const question = { subject, policy, explain: false };
    const checked = await checkOffline({ path: manifest, form }, question, [], beside, onRead);
    const { answer, names, unjudged } = checked;
    const said = saying(answer, policy.document.name, (id) => shownIdentifier(id, names.get(id)));
    const facts = [unjudged, lacksService(policy, beside) ? serviceWords : undefined];
    return { ...named, ...said, facts: facts.filter((fact) => fact !== undefined) };
  } catch (error) {
    if (error instanceof Failure) return { ...named, headline: error.message, exitCode: error.exitCode };
    const isOurs = error instanceof ServiceError;
    const headline = isOurs ? error.message : `Something failed inside the page: ${messageOf(error)}`;
    return { ...named, headline };
  }
}

const serviceWords =
  'The policy has the signer “service”. Write its DID into the field, or its signatures do not count.';

function lacksService({ document: { signers } }: Policy, { service }: Beside): boolean {
  return service.length === 0 && Object.values(signers).flat().includes('service');
}

const sayingNothing = {
  tone: 'neutral',
  findings: [],
  moreFindings: 0,
  facts: [],
  exitCode: exitCodes.usage,
  json: new Blob(),
  saveAs: '',
} as const;

/** The text of the command, a finding for each rule. */
function saying(answer: CheckAnswer, policyName: string, named: (id: string) => string) {
  const parts = checkText(answer, named)
    .trimEnd()
    .split(/\n(?= {0,2}\S)/);
  const { result } = answer;
  return {
    tone: resultTones[result],
    headline: `${resultLabel(result)}: the policy “${policyName}”`,
    findings: parts.map((part) => part.trim()),
    exitCode: resultCodes[result],
    json: new Blob([indented(answer)], { type: 'application/json' }),
    saveAs: 'check.json',
  };
}

/** The identifier that `cairn put` gives a file. */
async function identifierOf(file: string): Promise<string> {
  const hash = hasher('blake3');
  for await (const chunk of fileChunks(file)) hash.update(chunk);
  return cidUrn(makeCid(codecs.raw, hash.digest()));
}
