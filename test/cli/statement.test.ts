import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statementForms } from '../../src/domain/integrity/kinds/members.ts';
import { cairn, temporaryFolder } from './run-cairn.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
beforeAll(() => {
  writeFileSync(join(folder.path, 'raw.csv'), 'id,text\n1,hello\n');
  writeFileSync(join(folder.path, 'clean.csv'), 'id,text\n1,HELLO\n');
});

const raw = 'urn:cid:bafkr4ieiecm62u77db4btzk2qvezzoh57stjcvvwctfbhkps2aiybc52zu';
const clean = 'urn:cid:bafkr4ibqpbbrebyyitoknlgaqbllv4yh3dgma7feaxtqaigyx3rdjgktay';

const statement = async (...args: string[]) =>
  await cairn(['statement', ...args], { cwd: folder.path, env: { XDG_CONFIG_HOME: folder.path } });

describe('cairn statement', () => {
  test('prints a statement of files by the own key, with its id', async () => {
    const { code, stdout, stderr } = await statement(
      'ComputationRegistration',
      'input=raw.csv',
      `input=${clean.slice('urn:cid:'.length)}`,
      'output=clean.csv',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(`raw.csv is ${raw}`) });
    const { registeredBy, ...made } = JSON.parse(stdout);
    expect(registeredBy).toMatch(/^did:key:z6Mk/);
    expect(stderr).toContain(registeredBy);
    expect(made).toEqual({
      '@id': expect.stringMatching(/^urn:cid:bagb6qaq6e/),
      '@context': expect.any(String),
      '@type': 'ComputationRegistration',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      operatedBy: registeredBy,
      input: [raw, clean],
      output: clean,
    });
  });

  test('makes each example of docs/statements.md again from its members', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/statements.md'), 'utf8');
    const examples = [...page.matchAll(/^```json\n(.*?)\n```$/gms)].map(([, body]) =>
      JSON.parse(String(body)),
    );
    const made = examples.map(async ({ statement: { '@context': _, '@type': kind, ...members } }) => {
      const { sigstoreBundle, ...others } = members;
      const bundle = sigstoreBundle && { sigstoreBundle: Buffer.from(sigstoreBundle, 'base64').toString() };
      const words = Object.entries({ ...others, ...bundle }).flatMap(([name, value]) =>
        [value].flat().map((one) => `${name}=${typeof one === 'string' ? one : JSON.stringify(one)}`),
      );
      const { stdout, stderr } = await statement(kind, ...words);
      expect(stderr).toBe('');
      const { '@id': id, ...rest } = JSON.parse(stdout);
      expect(id).toMatch(/^urn:cid:/);
      return rest;
    });
    expect(await Promise.all(made)).toEqual(examples.map((example) => example.statement));
  });

  test('lists the kinds, and the members of one', async () => {
    const { stdout } = await statement('--list');
    for (const { kind, meaning } of statementForms) expect(stdout).toMatch(new RegExp(`${kind} +${meaning}`));
    const help = await statement('StorageRegistration', '--help');
    expect(help).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/storedOn +a document about the place/),
    });
  });

  test.each([
    [['DatRegistration'], 'Did you mean DataRegistration?'],
    [['DataRegistration', 'date=raw.csv'], 'has no member "date". Did you mean data?'],
    [['ComputationRegistration', 'input=raw.csv'], /also needs:\n {2}output +what came out/],
    [['DataRegistration', 'data=missing.csv'], 'nor a file that exists'],
    [['DataRegistration', 'data'], 'Write member=value.'],
    [['AssociationRegistration', `subject=${raw}`, `association=${clean}`, 'type=is'], 'must be "certifies"'],
    [['CredentialRegistration', 'credential=raw.csv'], 'credential must be a file with JSON'],
    [['CredentialRegistration', 'credential={}', `subject=${raw}`], 'belong together'],
    [[], 'Name a kind of statement'],
  ])('%j is refused with what to write instead', async (args, words) => {
    const { code, stdout, stderr } = await statement(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(words);
  });
});
