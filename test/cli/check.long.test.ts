import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { xmlTree } from '../../workers/evidence-formats/xml-tree.ts';
import { useProject } from './record-project.ts';
import { type Run, type Service, startService } from './run-cairn.ts';

let service: Service;
let project: ReturnType<typeof useProject>;
let builder: string;
let reviewer: string;

/** raw.csv → model.bin, signed by the builder. */
beforeAll(async () => {
  service = await startService();
  project = useProject(service);
  await done('init', 'Models');
  builder = (await done('key', 'create', 'builder.json')).trim();
  reviewer = (await done('key', 'create', 'reviewer.json')).trim();
  const { code, stderr } = await project.record(
    ['--output', 'model.bin', '--sign', 'builder.json'],
    'cp raw.csv model.bin && echo more >> model.bin',
  );
  expect(code, stderr).toBe(0);
});
afterAll(async () => {
  project[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

async function done(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await project.run(args);
  expect(code, stderr).toBe(0);
  return stdout;
}

const made = { name: 'made by the builder', require: "made_by.exists(c, c.signed_by == 'builder')" };
const reviewed = {
  name: 'data was approved',
  for: 'upstream',
  require: "it.reviews.exists(r, r.decision == 'approved' && r.signed_by == 'reviewers')",
};

function policy(name: string, rules: readonly object[], more: object = {}): string {
  const signers = { builder: [builder], reviewers: [reviewer] };
  writeFileSync(
    project.file(name),
    JSON.stringify({ cairn: 'policy/1', name: 'release', signers, rules, ...more }),
  );
  return name;
}

const check = async (...args: string[]): Promise<Run> => await project.run(['check', ...args]);

/** What a slow machine shows on the way comes and goes. */
const withoutProgress = (stderr: string) => stderr.split('\n').filter((line) => !line.endsWith(' MiB read'));

/** An answer without its time. */
async function answerOf(...args: string[]) {
  const { stdout } = await check(...args, '--json');
  const { checked_at: _, ...answer } = JSON.parse(stdout);
  return answer;
}

describe('cairn check', () => {
  test('passes with exit code 0, and names the statements that decided', async () => {
    const { code, stdout } = await check('model.bin', '--policy', policy('pass.json', [made]));
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^model\.bin \(bafkr4i\w+…\w+\): pass\. 1 rule, all fulfilled\.\n {2}pass +made by the builder\n +by bagb6/,
    );
  });

  test('fails with exit code 1, says what is missing, and the commands that it prints add it', async () => {
    const file = policy('approved.json', [reviewed]);
    const before = await check('model.bin', '--policy', file);
    expect(before.code).toBe(1);
    expect(before.stdout).toContain('It is not fulfilled for 1 of 1 thing: raw.csv (');
    expect(before.stdout).toMatch(/raw\.csv \(.*\) has no review that the rule accepts\./);
    expect(before.stderr).toContain('The policy "release" is not fulfilled.');
    const [, document = '', subject = ''] =
      /\$ echo '(.*)' > review\.json .* subject=(\S+) /.exec(before.stdout) ?? [];
    writeFileSync(project.file('review.json'), document);
    await done('put', project.file('review.json'));
    const statement = await done(
      'statement',
      'GovernanceRegistration',
      `subject=${subject}`,
      'document=review.json',
    );
    const stored = await project.run(['ingest', '-', '--sign', project.file('reviewer.json')], {
      input: statement,
    });
    expect(stored.code, stored.stderr).toBe(0);
    expect((await check('model.bin', '--policy', file)).code).toBe(0);
  });

  test('cannot tell with exit code 4', async () => {
    const rule = { name: 'no known flaws', require: "vulnerabilities.all(v, v.severity != 'critical')" };
    const { code, stdout, stderr } = await check(
      'model.bin',
      '--policy',
      policy('unknown.json', [made, rule]),
    );
    expect(code).toBe(4);
    expect(stdout).toMatch(
      /cannot tell +no known flaws\n +No document was imported that says anything about vulnerabilities of model\.bin/,
    );
    expect(stdout).toContain('$ cairn import FILE');
    expect(stderr).toContain('Nobody can tell');
    const nobody = await check('nobody knows this', '--policy', 'unknown.json');
    expect(nobody).toMatchObject({ code: 4, stderr: expect.stringContaining('"cairn record" and') });
  });

  test('answers the same from a manifest without a service, by file, digest, name and graph', async () => {
    await done('export', '-o', project.file('evidence.car'));
    const file = policy('both.json', [made, reviewed]);
    const online = await answerOf('model.bin', '--policy', file);
    const env = { ...project.env, CAIRN_URL: 'http://127.0.0.1:9' };
    const offline = async (...args: string[]) => {
      const { stdout } = await project.run(['check', ...args, '--json'], { env });
      const { checked_at: _, ...answer } = JSON.parse(stdout);
      return answer;
    };
    const { sha256 } = JSON.parse((await check('model.bin', '--explain', '--json')).stdout).things.artefacts[
      online.verdicts[0].subject
    ].hashes;
    const image = `registry.example/models/rent@sha256:${sha256}`;
    expect(await answerOf(image, '--policy', file)).toEqual(online);
    for (const subject of ['model.bin', 'evidence.car', `sha256:${sha256}`])
      expect(
        await offline(
          subject,
          '--policy',
          file,
          ...(subject === 'evidence.car' ? [] : ['--manifest', 'evidence.car']),
        ),
      ).toEqual(online);
    const { graph } = JSON.parse(readFileSync(project.file('cairn.json'), 'utf8'));
    expect(await answerOf(graph, '--policy', file)).toEqual(online);
  });

  test('cairn verify --policy verifies a manifest and answers as cairn check does', async () => {
    await done('export', '-o', project.file('evidence.car'));
    const env = { ...project.env, CAIRN_URL: 'http://127.0.0.1:9' };
    const verify = async (...args: string[]) =>
      await project.run(['verify', project.file('evidence.car'), ...args], { env });
    const unknown = { name: 'no known flaws', require: 'vulnerabilities.all(v, v.state == "resolved")' };
    const other = { name: 'made by a reviewer', require: "made_by.exists(c, c.signed_by == 'reviewers')" };
    for (const [code, rules] of [
      [0, [made]],
      [4, [made, unknown]],
      [1, [other, unknown]],
    ] as const) {
      const file = policy('decides.json', rules);
      const { stdout, stderr } = await check('evidence.car', '--policy', file);
      const decided = await verify('--policy', file);
      expect(decided.code).toBe(code);
      expect(withoutProgress(decided.stderr)).toEqual(withoutProgress(stderr));
      expect(decided.stdout).toContain('evidence.car: unaltered');
      expect(decided.stdout.endsWith(stdout)).toBe(true);
      const lines = (await verify('--policy', file, '--json')).stdout.trimEnd().split('\n');
      const [summary, { check: answer }] = lines.slice(-2).map((line) => JSON.parse(line));
      expect(summary).toMatchObject({ summary: { verdict: 'unaltered', ok: code === 0 } });
      const { checked_at: _, ...rest } = answer;
      expect(rest).toEqual(await answerOf('evidence.car', '--policy', file));
    }
    const required = await verify('--policy', policy('decides.json', [made]), '--require-signer');
    expect(required).toMatchObject({ code: 1, stderr: expect.stringContaining('(--require-signer)') });
    expect(required.stdout).toContain('pass. 1 rule, all fulfilled.');
  });

  test('says why nothing in a manifest can be checked', async () => {
    await done('export', '-o', project.file('whole.car'));
    const bytes = readFileSync(project.file('whole.car'));
    writeFileSync(project.file('short.car'), bytes.subarray(0, -1));
    policy('made.json', [made]);
    const damage = 'damaged: This is not a complete CAR: it ends inside a block.';
    for (const about of [['short.car'], ['model.bin', '--manifest', 'short.car']]) {
      const { code, stderr } = await check(...about, '--policy', 'made.json');
      expect([code, stderr]).toEqual([4, expect.stringContaining(damage)]);
    }
    const nothing = { version: '3', statements: {} };
    writeFileSync(project.file('empty.json'), JSON.stringify(nothing));
    const { code, stderr } = await check('empty.json', '--policy', 'made.json');
    expect([code, stderr]).toEqual([4, expect.stringContaining('no results that could be checked')]);
  });

  test('passes nothing if a manifest was altered', async () => {
    await done('export', '-o', project.file('altered.json'));
    const text = readFileSync(project.file('altered.json'), 'utf8');
    const altered = text.replace(/("@type":"MetadataRegistration"[^{}]*"timestamp":")2/, '$11');
    expect(altered).not.toBe(text);
    writeFileSync(project.file('altered.json'), altered);
    const { code, stdout } = await check('altered.json', '--policy', policy('made.json', [made]));
    expect(code).toBe(4);
    expect(stdout).toContain('It was altered');
  });

  test.each([
    [['model.bin', '--policy', 'decides.json'], '--policy is for manifests, and'],
    [
      [
        'evidence.car',
        '--policy',
        'decides.json',
        '--cid',
        'bafkr4igani75pegnm6whun647hcflunpx5hqh3q4murpyncdoy6ra757ka',
      ],
      'Leave one out.',
    ],
    [['evidence.car', '--service', 'did:web:cairn.example'], 'Name the policy with --policy.'],
  ])('cairn verify %j is wrong usage', async ([file = '', ...args], reason) => {
    const { code, stderr } = await project.run(['verify', project.file(file), ...args]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(reason) });
  });

  test('takes a name of bytes that evidence calls by another digest, the same with the service and offline', async () => {
    const called = { cwd: '/' };
    await done(
      'export',
      'model.bin',
      '--format',
      'slsa',
      '--sign',
      'builder.json',
      '-o',
      project.file('build.jsonl'),
    );
    await done('import', project.file('build.jsonl'));
    await done('export', '-o', project.file('named.car'));
    const asked = ['check', 'Model.bin', '--policy', project.file(policy('made.json', [made]))];
    for (const more of [[], ['--manifest', project.file('named.car')]]) {
      const { code, stderr } = await project.run([...asked, ...more], called);
      expect(code, stderr).toBe(0);
    }
  });

  test('lists the things of one name with their ids', async () => {
    for (const content of ['one', 'other']) {
      writeFileSync(project.file('twin.txt'), content);
      await done('put', project.file('twin.txt'));
      writeFileSync(project.file('twin.json'), '{"name": "twin.txt"}');
      await done('put', project.file('twin.json'));
      const statement = await done(
        'statement',
        'MetadataRegistration',
        'subject=twin.txt',
        'metadata=twin.json',
      );
      await project.run(['ingest', '-'], { input: statement });
    }
    writeFileSync(project.file('elsewhere.json'), readFileSync(project.file(policy('made.json', [made]))));
    const { code, stderr } = await project.run(['check', 'twin.txt', '--policy', project.file('made.json')], {
      cwd: '/',
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /Several things are called "twin\.txt"\..*(urn:cid:bafkr4i\w+, ){1}urn:cid:bafkr4i\w+/,
    );
  });

  test('tells apart what the service and what a manifest needs', async () => {
    policy('made.json', [made]);
    const refused = async (...args: string[]) => {
      const { code, stderr } = await check(...args);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await refused('model.bin')).toContain('Name a policy with --policy');
    expect(await refused('model.bin', '--policy', 'made.json', '--keys', '.')).toContain('--manifest');
    expect(await refused('model.bin', '--policy', 'made.json', '--manifest', 'raw.csv')).toContain(
      'raw.csv is not a manifest',
    );
    expect(await refused('model.bin', '--policy', 'made.json', '--sarif', '--junit')).toContain(
      'cannot be used with',
    );
    const away = { env: { ...project.env, CAIRN_URL: 'http://127.0.0.1:9' } };
    expect((await project.run(['check', 'model.bin', '--policy', 'made.json'], away)).code).toBe(3);
  });
});

describe('a check for CI', () => {
  const rules = () => [
    made,
    {
      name: 'seen <by> "nobody" & \u0001',
      require: "reviews.exists(r, r.decision == 'approved')",
      message: ']]> Ask Ada.',
    },
    {
      name: 'no known flaws',
      require: "vulnerabilities.all(v, v.severity != 'critical')",
      article: 'Article 1',
    },
    {
      name: 'small',
      require: 'subject.size < 3',
      exception: { until: '2999-01-01', granted_by: 'Ada', reason: 'It is needed.' },
    },
    { name: 'named', require: "subject.media_type == 'text/csv'", severity: 'warning' },
  ];

  test('is SARIF 2.1.0 with --sarif', async () => {
    const { code, stdout } = await check('model.bin', '--policy', policy('ci.json', rules()), '--sarif');
    expect(code).toBe(1);
    const { version, runs } = JSON.parse(stdout);
    expect(version).toBe('2.1.0');
    const [{ tool, results }] = runs;
    expect(tool.driver.name).toBe('cairn');
    expect(tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(rules().map(({ name }) => name));
    // GitHub refuses rules without these.
    for (const one of tool.driver.rules)
      for (const part of ['shortDescription', 'fullDescription', 'help'])
        expect(one[part].text, part).not.toBe('');
    const shown = results.map((one: Record<string, unknown>) => [one.ruleIndex, one.kind, one.level]);
    expect(shown).toEqual([
      [1, 'fail', 'error'],
      [2, 'open', 'none'],
      [3, 'fail', 'error'],
      [4, 'fail', 'warning'],
    ]);
    expect(results[2].suppressions).toEqual([
      { kind: 'external', status: 'accepted', justification: 'It is needed.' },
    ]);
    for (const { message, locations, ruleId } of results) {
      expect(message.text).toContain(ruleId);
      expect(locations[0].physicalLocation.artifactLocation.uri).toBe('model.bin');
    }
  });

  test('is JUnit XML with --junit', async () => {
    const { stdout } = await check('model.bin', '--policy', policy('ci.json', rules()), '--junit');
    const root = xmlTree(Buffer.from(stdout), 10);
    expect([root.name, root.attributes]).toEqual([
      'testsuites',
      { name: 'release', tests: '5', failures: '1', errors: '1' },
    ]);
    expect(root.children[0]?.attributes).toMatchObject({ tests: '5', skipped: '1' });
    const cases = root.children[0]?.children ?? [];
    expect(cases.map(({ attributes, children }) => [attributes.name, children[0]?.name])).toEqual([
      ['made by the builder', 'system-out'],
      ['seen <by> "nobody" & \ufffd', 'failure'],
      ['no known flaws', 'error'],
      ['small', 'skipped'],
      ['named', 'system-out'],
    ]);
    expect(cases[1]?.children[0]).toMatchObject({ attributes: { message: ']]> Ask Ada.' } });
  });
});

describe('cairn check --explain', () => {
  test('shows facts that an example of a policy takes', async () => {
    const { code, stdout } = await check('model.bin', '--explain');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^subject: urn:cid:bafkr4i\w+\nupstream:\n {2}- urn:cid/);
    const facts = JSON.parse((await check('model.bin', '--explain', '--json')).stdout);
    const examples = [{ name: 'today', facts, expect: 'pass', failing: [] }];
    expect(await done('policy', 'test', policy('explained.json', [made], { examples }))).toBe(
      'explained.json: today: as expected\nexplained.json: 1 rule, 1 example\n',
    );
  });
});
