import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect } from 'vitest';
import { openIntegrity } from '../../src/integrity.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { cairn } from '../cli/run-cairn.ts';
import { send } from '../http/service.ts';

type Json = Readonly<Record<string, unknown>>;
type Statements = readonly { readonly id: string; readonly trust: Json }[];

/** What the version that wrote a store has answered. */
interface OldAnswers {
  /** A statement that `signer` has signed. */
  readonly genuine: string;
  /** One that `signer` never saw. It was shown as signed, by a credential whose subject was renamed afterwards. */
  readonly forged: string;
  readonly signer: string;
  readonly statements: Statements;
  /** Other answers by their paths. */
  readonly answers: Readonly<Record<string, { readonly status: number; readonly body: Json }>>;
}

/** Unpacks the store of an earlier version, with what it answered. */
export function unpackOldStore(name: string, folder: string): OldAnswers {
  execFileSync('tar', [
    'xzf',
    join(import.meta.dirname, `../storage/old-stores/${name}.tar.gz`),
    '-C',
    folder,
  ]);
  return JSON.parse(readFileSync(join(folder, 'answers.json'), 'utf8'));
}

/** Opens a store of an earlier version, and compares its answers, except for what had to be repaired. */
export async function expectUpToDate(
  environment: Readonly<Record<string, string>>,
  { genuine, forged, signer, statements, answers }: OldAnswers,
): Promise<void> {
  {
    const settings = readSettings({ ...environment, CAIRN_WORKERS: '1' });
    await using service = await openIntegrity(settings, pino({ level: 'silent' }));
    const { json } = await send(service, 'GET', '/statements/v1?limit=1000');
    const trusts = trustsOf(json.statements);
    expect(trusts).toEqual(new Map([...trustsOf(statements), [forged, { state: 'claimed' }]]));
    expect(trusts.get(genuine)).toMatchObject({ state: 'signed', by: signer, valid: true });
    for (const [path, answer] of Object.entries(answers)) {
      const { status, json: body } = await send(service, 'GET', path);
      expect({ status, body }).toMatchObject(answer);
    }
  }
  const fsck = await cairn(['fsck'], { env: environment });
  expect(fsck, fsck.stdout).toMatchObject({ code: 0 });
}

function trustsOf(statements: Statements): ReadonlyMap<string, Json> {
  return new Map(statements.map(({ id, trust }) => [id, trust]));
}
