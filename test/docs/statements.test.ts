import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commonMembers, type Member, statementForms } from '../../src/domain/integrity/kinds/members.ts';
import { putBlob, send, useService } from '../http/service.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/statements.md'), 'utf8');
const service = useService({ CAIRN_SIGSTORE_TRUSTED_ROOT: join(import.meta.dirname, 'trusted-root.json') });

function table(members: readonly Member[]): string {
  const rows = members.map(({ name, isMany, isRequired, meaning, form }) =>
    [`\`${name}\``, isMany ? 'one or many' : 'one', isRequired ? 'yes' : 'no', meaning, form].join(' | '),
  );
  const head = ['member | how many | required | meaning | written as', '--- | --- | --- | --- | ---'];
  return [...head, ...rows].map((row) => `| ${row} |\n`).join('');
}

test('the page has each kind in order, with the members that its declaration has', () => {
  const sections = page.split(/^## /m).filter((section) => /^\w+Registration/.test(section));
  expect(sections.map((section) => /^\w+/.exec(section)?.[0])).toEqual(
    statementForms.map(({ kind }) => kind),
  );
  expect(page).toContain(table(commonMembers));
  for (const [at, { meaning, members }] of statementForms.entries()) {
    expect(sections[at]).toContain(`\n\n${meaning}\n`);
    expect(sections[at]).toContain(table(members));
  }
});

test('the service accepts every example as it stands, and the signatures in them hold', async () => {
  await putBlob(service, 'id,text\n1,HELLO\n');
  const examples = [...page.matchAll(/^```json\n(.*?)\n```$/gms)].map(([, body]) => String(body));
  expect(examples.map((body) => JSON.parse(body).statement['@type'])).toEqual(
    statementForms.map(({ kind }) => kind),
  );
  const signatures = [];
  for (const [at, body] of examples.entries()) {
    const { status, text, json } = await send(service, 'PUT', '/statements/v1', body);
    expect(status, text).toBe(201);
    if (statementForms[at]?.kind === 'CredentialRegistration') {
      const checked = await send(service, 'GET', `/statements/v1/id/${json.rdfc_cid}/verification`);
      signatures.push(...checked.json.signatures);
    }
  }
  expect(signatures.map(({ kind, result }) => `${kind}: ${result}`)).toEqual([
    'credential: ok',
    'dsse: ok',
    'sigstore: ok',
  ]);
  const computation = JSON.parse(examples[4] ?? '').statement.credential.credentialSubject.id;
  expect(
    (await send(service, 'GET', `/statements/v1/id/${computation}/verification`)).json.trust,
  ).toMatchObject({ state: 'signed', by_registrant: true });
});
