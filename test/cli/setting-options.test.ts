import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addSettingOptions, withGoFlags } from '../../src/cli/setting-options.ts';
import { settingTable } from '../../src/platform/settings/setting-table.ts';

/** Parses a command line with these options. */
function read(...args: string[]) {
  const command = new Command('serve')
    .argument('[service]')
    .exitOverride()
    .configureOutput({
      writeErr: () => undefined,
    });
  addSettingOptions(command);
  command.parse(withGoFlags(args), { from: 'user' });
  return { service: command.args[0], flags: command.opts() };
}

describe('flags of the control plane', () => {
  test.each([
    [['-auth-enabled=false'], { authEnabled: 'false' }],
    [['--auth-enabled=false'], { authEnabled: 'false' }],
    [['-auth-enabled'], { authEnabled: 'true' }],
    [['--auth-enabled'], { authEnabled: 'true' }],
    [['-auth-enabled='], { authEnabled: '' }],
    [['-auth-enabled', '-auth-idp-enabled'], { authEnabled: 'true', authIdpEnabled: 'true' }],
    [['-auth-session-max-age', '6h'], { authSessionMaxAge: '6h' }],
    [['--auth-session-max-age', '6h'], { authSessionMaxAge: '6h' }],
    [['-auth-session-max-age=6h'], { authSessionMaxAge: '6h' }],
    [['-auth-state-secret', '-auth-enabled=x=y'], { authStateSecret: '-auth-enabled=x=y' }],
    [['-auth-state-secret=a=b\nc'], { authStateSecret: 'a=b\nc' }],
    [['-auth-idp-scopes', ''], { authIdpScopes: '' }],
    [
      ['-adapter-auth-service-base-url', 'https://a.example'],
      { adapterAuthServiceBaseUrl: 'https://a.example' },
    ],
    [['-auth-enabled', '--port', '1', '-auth-enabled=false'], { authEnabled: 'false', port: '1' }],
  ])('%j', (args, flags) => {
    expect(read(...args)).toEqual({ service: undefined, flags });
    expect(read(...args, 'control-plane')).toEqual({ service: 'control-plane', flags });
    expect(read('control-plane', ...args)).toEqual({ service: 'control-plane', flags });
  });

  test('can all be written with one dash or two', () => {
    const flags = Object.values(settingTable).flatMap((setting) =>
      'hasGoFlag' in setting ? [setting.flag] : [],
    );
    expect(flags).toHaveLength(24);
    for (const flag of flags)
      for (const dashes of ['-', '--'])
        expect(Object.values(read(`${dashes}${flag}=x`).flags)).toEqual(['x']);
  });

  test('a boolean value as a separate argument is refused with the correct form', () => {
    expect(() => read('-auth-enabled', 'false')).toThrow('Write -auth-enabled=false');
    expect(() => read('--auth-cookie-secure', 'true')).toThrow('Write -auth-cookie-secure=true');
  });

  test('a flag without its value and an unknown flag are refused by commander', () => {
    expect(() => read('-auth-session-max-age')).toThrow('argument missing');
    expect(() => read('-auth-nonsense=1')).toThrow('unknown option');
    expect(() => read('-port=1')).toThrow('unknown option');
  });

  test('other arguments, and all after --, stay unchanged', () => {
    const args = ['put', '-x', '', '--port', '1', 'auth-enabled', '--', '-auth-enabled'];
    expect(withGoFlags(args)).toEqual(args);
  });
});
