import type { Command } from 'commander';
import { openSigner, writeNewKey } from '../../platform/key-file-signer.ts';
import { failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { writeText } from '../terminal/output.ts';

const examples = `
The file holds a private key as a JWK. Only its owner can read it. The printed did:key holds the public key.

Examples:
  $ cairn key create my-key.json
  $ cairn key create --p256 signing-key.json`;

export function keyCommand(program: Command, io: Io): void {
  program
    .command('key')
    .description('make keys that sign')
    .command('create')
    .description('make a key in a new file and print its did:key')
    .argument('<file>', 'where to write the key; an existing file is not changed')
    .option('--p256', 'make a key on P-256 instead of Ed25519')
    .option('--json', 'print JSON: {"did", "file"}')
    .addHelpText('after', examples)
    .action(async (file: string, { p256, json }: { readonly p256?: true; readonly json?: true }) => {
      await writeNewKey(file, p256 ? 'P-256' : 'Ed25519').catch((cause: NodeJS.ErrnoException) => {
        if (cause.code === 'EEXIST')
          failUsage(`${file} exists. It may hold a key that is in use. Choose another name.`);
        throw cause;
      });
      const { did } = await openSigner(file, { mayCreate: false });
      await writeText(io, json ? `${JSON.stringify({ did, file })}\n` : `${did}\n`);
    });
}
