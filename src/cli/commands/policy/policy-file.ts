import { resolve } from 'node:path';
import { policyProblemLine } from '../../../contract/policy-problems.ts';
import { type Policy, policyLimit, readPolicy } from '../../../domain/integrity/policies/read-policy.ts';
import { decodeUtf8 } from '../../../domain/json/strict-json.ts';
import { fileChunks, pathKind } from '../../client/local-files.ts';
import { failUsage } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';

/**
 * Reads a policy in YAML or JSON.
 * @throws Failure (usage) with a line for each problem.
 */
export async function readPolicyFile({ cwd }: Pick<Io, 'cwd'>, path: string): Promise<Policy> {
  const file = resolve(cwd, path);
  const kind = await pathKind(file);
  if (!kind) failUsage(`The policy ${path} does not exist.`);
  if (kind === 'folder') failUsage(`The policy ${path} is a folder. Name a file in it.`);
  const read = readPolicy(await textOf(file, path));
  if ('policy' in read) return read.policy;
  return failUsage(read.problems.map((problem) => policyProblemLine(path, problem)).join('\n'));
}

async function textOf(file: string, path: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of fileChunks(file)) {
    size += chunk.length;
    if (size > policyLimit) {
      const problem = { code: 'too_large', found: '' } as const;
      failUsage(policyProblemLine(path, { line: 1, column: 1, place: '', problem }));
    }
    chunks.push(chunk);
  }
  try {
    return decodeUtf8(Buffer.concat(chunks));
  } catch {
    return failUsage(`The policy ${path} is not UTF-8. Save it as UTF-8.`);
  }
}
