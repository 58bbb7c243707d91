import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { send, useService } from '../http/service.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/governance.md'), 'utf8');
const service = useService();

const request =
  /^(?:(\w+)=\$\()?curl -s localhost:3050(\S+) --json @- <<END(?: \| jq -r \.(\w+))?\n(.*?)\nEND$/gms;
const assignment = /^(\w+)=([\w-]+)$/gm;

test('the requests of the page are accepted in order, and give the CIDs that it shows', async () => {
  const variables = new Map([...page.matchAll(assignment)].map(([, name, value]) => [name, value]));
  const filled = (text = '') =>
    text.replaceAll(/\$(\w+)/g, (_, name) => variables.get(name) ?? expect.fail(name));
  const answers: { path: string; json: unknown }[] = [];
  for (const [, variable, path, member, body] of page.matchAll(request)) {
    const answer = await send(service, 'POST', filled(path), filled(body));
    expect(answer.status, answer.text).toBe(200);
    if (variable) variables.set(variable, member ? answer.json[member] : answer.text);
    answers.push({ path: String(path), json: answer.json });
  }
  expect(answers.map(({ path }) => path.split('/').slice(3, 5).join('/'))).toEqual([
    'cid/subject',
    'cid/policy',
    'controls/declaration',
    'controls/review',
    'policy/compliance',
    'identity/membership',
    'policy/manifest',
  ]);
  const [, shown = ''] = /```json\n([^`]+)```/.exec(page) ?? [];
  expect(answers[1]?.json).toEqual(JSON.parse(shown));
  const [subject, project] = [variables.get('SUBJECT'), variables.get('PROJECT')];
  const status = await send(service, 'GET', `/gov/v1/status/${subject}/${project}`);
  expect(status.json.controls).toMatchObject([
    { controlCid: variables.get('CONTROL'), review: { decision: 'approved' } },
  ]);
  expect(status.json.certificates).toMatchObject([{ kind: 'compliance', standing: 'valid' }]);
});
