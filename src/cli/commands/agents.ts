import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Io } from '../terminal/io.ts';
import {
  type ChangeFlags,
  changeAgent,
  handOverAgent,
  type ListFlags,
  listAgents,
  mintToken,
  showAgent,
  type TokenFlags,
} from './agents/calls.ts';
import { type RegisterFlags, registerAgent } from './agents/register.ts';

const registerNotes = `
The token is read from AGENT_PROVISIONING_TOKEN, or from the file of --token-file. The file holds a private key and the
agent_id; only its owner can read it. A run that was cut off can be repeated with the same file.

Examples:
  $ export AGENT_PROVISIONING_TOKEN=$(cairn agents token "Build agent" --handle build)
  $ cairn agents register agent.json
  $ cairn agents register agent.json --rotate`;

const tokenNotes = `
Standard output has the token alone. It counts once, for 15 minutes. With a handle the agent_id is the same each time, and
earlier unused tokens for it become void.

Examples:
  $ export AGENT_PROVISIONING_TOKEN=$(cairn agents token "Build agent" --handle build)
  $ cairn agents token "Build agent" --json`;

export function agentsCommand(program: Command, io: Io): void {
  const agents = program.command('agents').description('agents: who they are, registering, revoking');
  agents
    .command('list')
    .description('list agents: all of them for administrators, otherwise your own')
    .addOption(new Option('--state <state>', 'only these').choices(['active', 'revoked']))
    .option('--search <text>', 'part of the name or handle, or the whole id or DID')
    .option('--limit <count>', 'at most so many', count, 100)
    .option('--json', 'print JSON: {"agents"}')
    .action(async (flags: ListFlags) => await listAgents(io, flags));
  agents
    .command('show')
    .description('show an agent with its keys, bindings and history')
    .argument('<agent>', 'its agent_id')
    .option('--json', 'print JSON')
    .action(async (id: string, flags: { json?: true }) => await showAgent(io, id, flags));
  changeCommand(agents, io, 'revoke', 'stop an agent at once, everywhere (administrators)');
  changeCommand(agents, io, 'restore', 'let a revoked agent go on (administrators)');
  agents
    .command('hand-over')
    .description('give an agent to another user; all its other bindings end (administrators)')
    .argument('<agent>', 'its agent_id')
    .argument('<user>', 'the id or the e-mail address of the user')
    .option('--reason <text>', 'why, for the history of the agent')
    .option('--json', 'print JSON')
    .action(async (id: string, user: string, flags: ChangeFlags) => await handOverAgent(io, id, user, flags));
  agents
    .command('token')
    .description('mint a token with which an agent registers once')
    .argument('<name>', 'the name of the agent')
    .option('--handle <handle>', 'your name for this agent, the same each time it registers')
    .option('--json', "print the service's JSON answer")
    .addHelpText('after', tokenNotes)
    .action(async (name: string, flags: TokenFlags) => await mintToken(io, name, flags));
  agents
    .command('register')
    .description('make a key, register an agent with it, and keep it in a file')
    .argument('<file>', 'where to keep the key; an existing file is not changed without --rotate')
    .option('--token-file <file>', 'read the registration token from this file')
    .option('--rotate', 'replace the key in the file by a new one')
    .option('--p256', 'make a key on P-256 instead of Ed25519')
    .option('--json', 'print JSON: {"agent_id", "did", "file"}')
    .addHelpText('after', registerNotes)
    .action(async (file: string, flags: RegisterFlags) => await registerAgent(io, file, flags));
}

function changeCommand(agents: Command, io: Io, verb: 'revoke' | 'restore', description: string): void {
  agents
    .command(verb)
    .description(description)
    .argument('<agent>', 'its agent_id')
    .option('--reason <text>', 'why, for the history of the agent')
    .option('--json', 'print JSON')
    .action(async (id: string, flags: ChangeFlags) => await changeAgent(io, verb, id, flags));
}

function count(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a number above 0.');
  return Number(text);
}
