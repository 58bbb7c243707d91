import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { cairn, temporaryFolder } from '../cli/run-cairn.ts';
import { describeWith } from '../describe-with.ts';

const program = join(process.env.CAIRN_TEST_PYTHON_SDK ?? '', 'bin/model_signing');
const absence = 'there is no model_signing (CAIRN_TEST_PYTHON_SDK, installed by .ci/python-sdk)';

/** Runs it in a folder. @returns whether the answer was yes. */
async function theirs(cwd: string, ...args: string[]): Promise<boolean> {
  const { code } = await promisify(execFile)(program, args, { cwd }).catch((error) => error);
  return code === undefined;
}

/** A model with a name that is not ASCII, keys on each curve, and certificates. */
function makeModel(folder: string): void {
  mkdirSync(join(folder, 'model/layers'), { recursive: true });
  for (const name of ['config.json', 'layers/0', 'ü:1:2', 'ignored'])
    writeFileSync(join(folder, 'model', name), name);
  writeFileSync(join(folder, 'model/empty'), '');
  writeFileSync(join(folder, 'model/.gitignore'), '');
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  for (const curve of ['prime256v1', 'secp384r1', 'secp521r1']) {
    openssl('ecparam', '-name', curve, '-genkey', '-noout', '-out', `${curve}.pem`);
    openssl('ec', '-in', `${curve}.pem`, '-pubout', '-out', `${curve}.pub`);
  }
  const ca = ['-newkey', 'rsa:2048', '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=root'];
  openssl('req', '-x509', ...ca);
  openssl('req', '-new', '-key', 'secp384r1.pem', '-subj', '/CN=signer', '-out', 'leaf.csr');
  writeFileSync(join(folder, 'leaf.ext'), 'keyUsage=critical,digitalSignature');
  const issuer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'leaf.ext'];
  openssl('x509', '-req', '-in', 'leaf.csr', ...issuer, '-out', 'leaf.pem');
}

describeWith(!existsSync(program) && absence, 'the reference implementation of model signing', () => {
  const ways: [string, string, string[], string[]][] = [
    ...['prime256v1', 'secp384r1', 'secp521r1'].map((curve): [string, string, string[], string[]] => [
      ...([`a key on ${curve}`, 'key'] as const),
      ['--private-key', `${curve}.pem`],
      ['--public-key', `${curve}.pub`],
    ]),
    [
      ...(['a certificate', 'certificate'] as const),
      [
        '--private-key',
        'secp384r1.pem',
        '--signing-certificate',
        'leaf.pem',
        '--certificate-chain',
        'ca.pem',
      ],
      ['--certificate-chain', 'ca.pem'],
    ],
  ];

  test.each(ways)(
    'and Cairn verify what the other has signed with %s',
    async (_, method, signing, trusting) => {
      using folder = temporaryFolder();
      const cwd = folder.path;
      makeModel(cwd);
      const files = (signature: string) => [
        'model',
        '--signature',
        signature,
        '--ignore-paths',
        'model/ignored',
      ];
      const ours = async (command: string, ...args: string[]) =>
        (await cairn(['model', command, ...args], { cwd })).code === 0;
      // It writes the same options with underscores.
      const named = (args: string[]) =>
        args.map((arg) => (arg.startsWith('--') ? `--${arg.slice(2).replaceAll('-', '_')}` : arg));
      expect(await theirs(cwd, 'sign', method, ...files('theirs.sig'), ...named(signing))).toBe(true);
      expect(await ours('verify', ...files('theirs.sig'), ...trusting)).toBe(true);
      expect(await ours('sign', ...files('ours.sig'), ...signing)).toBe(true);
      expect(await theirs(cwd, 'verify', method, ...files('ours.sig'), ...named(trusting))).toBe(true);
      writeFileSync(join(cwd, 'model/layers/0'), 'poisoned');
      expect(await ours('verify', ...files('theirs.sig'), ...trusting)).toBe(false);
      expect(await theirs(cwd, 'verify', method, ...files('ours.sig'), ...named(trusting))).toBe(false);
    },
  );
});
