import type { Command } from 'commander';
import { counted } from '../../../contract/words/text.ts';
import { policyJsonSchema } from '../../../domain/integrity/policies/policy.ts';
import { failNo } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { indented, printableLine, writeText } from '../../terminal/output.ts';
import { ruleLines } from '../check/check-text.ts';
import { type ExampleOutcome, runExamples } from './examples.ts';
import { factsText, factTables } from './facts.ts';
import { readPolicyFile } from './policy-file.ts';

interface JsonFlag {
  readonly json?: true;
}

const aboutTest = `
A faulty policy is reported with line and column. An example says facts or a manifest (relative to the policy), the time (now),
the result that it expects, and the rules that fail or cannot be told (failing). "cairn check SUBJECT --explain --json" prints
facts for an example.

Exit codes: 0 everything is as expected; 1 an example differs; 2 a faulty policy.

Examples:
  $ cairn policy test release.yaml
  $ cairn policy test policies/*.yaml --json`;

const aboutFacts = `
A rule names facts in conditions, in CEL (https://cel.dev). In a rule without "for", the facts of an artefact have names too: they
are those of the subject.

Examples:
  $ cairn policy facts
  $ cairn policy facts computation`;

const aboutSchema = `
Editors check and complete policies with it: begin a policy with the line
# yaml-language-server: $schema=./policy.schema.json

Examples:
  $ cairn policy schema > policy.schema.json`;

export function policyCommand(program: Command, io: Io): void {
  const policy = program.command('policy').description('test policies, and show what their rules can read');
  policy
    .command('test')
    .description('read policies and run their own examples')
    .argument('<file...>', 'policies, in YAML or JSON')
    .option('--json', 'print one JSON object per example')
    .addHelpText('after', aboutTest)
    .action(async (files: readonly string[], flags: JsonFlag) => await testPolicies(io, files, flags));
  policy
    .command('facts')
    .description('print the facts that conditions can read, with an example each')
    .argument('[kind]', 'only those of an artefact, a computation and so on')
    .option('--json', 'print JSON')
    .addHelpText('after', aboutFacts)
    .action(async (kind: string | undefined, { json }: JsonFlag) => {
      const tables = factTables(kind);
      await writeText(io, json ? indented(tables) : factsText(tables));
    });
  policy
    .command('schema')
    .description('print the JSON Schema of policies')
    .addHelpText('after', aboutSchema)
    .action(async () => await writeText(io, indented(policyJsonSchema())));
}

async function testPolicies(io: Io, files: readonly string[], { json }: JsonFlag): Promise<void> {
  let differing = 0;
  for (const file of files) {
    const policy = await readPolicyFile(io, file);
    let examples = 0;
    for await (const outcome of runExamples(policy, file, io.cwd)) {
      examples += 1;
      if (outcome.differences.length > 0) differing += 1;
      await writeText(io, json ? outcomeJson(file, outcome) : linesOf(outcomeLines(file, outcome)));
    }
    if (json) continue;
    const counts = `${counted(policy.rules.length, 'rule')}, ${counted(examples, 'example')}`;
    await writeText(io, linesOf([`${file}: ${counts}`]));
  }
  if (differing > 0) failNo(`${counted(differing, 'example differs', 'examples differ')}.`);
}

function outcomeJson(policy: string, { name, result, differences }: ExampleOutcome): string {
  const isExpected = differences.length === 0;
  return `${JSON.stringify({ policy, example: name, ok: isExpected, result, differences })}\n`;
}

/** Of an example that differs, why, and the rules that do not pass. */
function outcomeLines(file: string, { name, differences, answer }: ExampleOutcome): string[] {
  if (differences.length === 0) return [`${file}: ${name}: as expected`];
  const rules = answer.verdicts.flatMap((verdict) => verdict.rules).filter(({ result }) => result !== 'pass');
  const details = [...differences, ...rules.flatMap((rule) => ruleLines(rule))];
  return [`${file}: ${name}: DIFFERS`, ...details.map((line) => `  ${line}`)];
}

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${printableLine(line)}\n`).join('');
}
