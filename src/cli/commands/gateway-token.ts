import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type GatewayScope,
  gatewayScopes,
  guardedScopes,
  reportingScopes,
} from '../../domain/control-plane/gateway-access.ts';
import { signGatewayCredential } from '../../platform/agent-tokens/gateway-credential.ts';
import { controlPlaneSettingTable } from '../../platform/settings/control-plane.ts';
import { duration } from '../../platform/settings/kinds.ts';
import { readTable } from '../../platform/settings/settings.ts';
import { withoutEmpty } from '../client/client-settings.ts';
import { failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { writeText } from '../terminal/output.ts';

const notes = `
The credential is signed with CAIRN_GATEWAY_SECRET, which must be that of the service. Keep it secret: whoever has it can
report records in the name of any agent until it expires. It can be withdrawn only by changing the secret.

Scopes: ${reportingScopes.join(', ')} (the default), and ${guardedScopes.join(' and ')}. The last two change who may
read what agents did: a holder of project-bindings can open any project to callers of the governance console, and close it.
Give them only to what manages projects.

Examples:
  $ cairn gateway-token --expires 12h
  $ cairn gateway-token --name ci --scope audit-exchanges --scope plugin-events
  $ cairn gateway-token --name projects --scope memberships,project-bindings --expires 1h`;

interface GatewayTokenFlags {
  readonly scope?: readonly GatewayScope[];
  readonly expires: number;
  readonly name: string;
}

export function gatewayTokenCommand(program: Command, io: Io): void {
  const reported = 'what it may report, separated by commas; can be repeated';
  const expires = new Option('--expires <duration>', 'how long it counts');
  program
    .command('gateway-token')
    .description('print a credential with which a gateway reports what agents do')
    .option('--scope <scopes>', `${reported} (default: ${reportingScopes.join(',')})`, scopes)
    .addOption(expires.argParser(lifetime).default(30 * 86_400_000, '720h'))
    .option('--name <name>', 'name of the gateway for the audit log', name, 'gateway')
    .addHelpText('after', notes)
    .action(async (flags: GatewayTokenFlags) => await printCredential(io, flags));
}

async function printCredential(io: Io, flags: GatewayTokenFlags): Promise<void> {
  const { scope = reportingScopes, expires: lifetimeMs, name } = flags;
  const { gatewaySecret } = controlPlaneSettingTable;
  const { gatewaySecret: secret } = readTable({ gatewaySecret }, withoutEmpty(io.env));
  if (secret === null)
    failUsage('CAIRN_GATEWAY_SECRET is not set. Set it to the secret of the service, at least 32 bytes.');
  const credential = { name, scopes: scope, lifetimeMs, now: new Date() };
  await writeText(io, `${await signGatewayCredential(secret, credential)}\n`);
}

function scopes(text: string, before: readonly GatewayScope[] = []): readonly GatewayScope[] {
  const given = text.split(/[\s,]+/).filter((one) => one !== '');
  const known = given.map((one) => gatewayScopes.find((scope) => scope === one) ?? throwUnknownScope(one));
  return [...new Set([...before, ...known])];
}

function throwUnknownScope(scope: string): never {
  throw new InvalidArgumentError(`There is no scope "${scope}". Scopes are ${gatewayScopes.join(', ')}.`);
}

function lifetime(text: string): number {
  const { data, error } = duration.safeParse(text);
  if (data === undefined) throw new InvalidArgumentError(`It ${error?.issues[0]?.message}.`);
  if (data < 1_000) throw new InvalidArgumentError('It must be at least 1s.');
  return data;
}

function name(text: string): string {
  if (!/^[\x21-\x7e]{1,100}$/.test(text))
    throw new InvalidArgumentError('It must have 1 to 100 ASCII characters and no spaces.');
  return text;
}
