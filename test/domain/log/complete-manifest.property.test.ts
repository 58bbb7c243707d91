import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unmetRequirement } from '../../../src/cli/commands/verify/requirements.ts';
import { wholeLogWords } from '../../../src/contract/log-words.ts';
import { judge } from '../../../src/domain/integrity/policies/verification.ts';
import { completeManifest, named } from '../../builders/complete-manifest.ts';
import { usePool } from '../../builders/statement-pool.ts';
import { didStatement } from '../../builders/statements.ts';
import { verifiedManifest } from '../../builders/verified-manifest.ts';
import { runs } from '../../property-runs.ts';

const pool = usePool();

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

async function sample() {
  const [other, ...statements] = await named(pool.identifier, ['other', 1, 2, 3, 4, 5].map(didStatement));
  return { ...(await completeManifest(statements)), statements, other };
}

type Sample = Awaited<ReturnType<typeof sample>>;
type Draft = { statements: Record<string, unknown>; anchors: Anchor[]; complete?: boolean };
interface Anchor {
  statements: string[];
  locations: { first: number; entries: Record<string, string>; proof: string }[];
}

/** Ways to change one piece of a complete manifest. */
const changes: Record<string, (draft: Draft, at: number, sample: Sample) => void> = {
  'removes a statement': ({ statements }, at) => {
    delete statements[pick(Object.keys(statements), at)];
  },
  'replaces a statement by another one': (draft, at, { other }) => {
    delete draft.statements[pick(Object.keys(draft.statements), at)];
    draft.statements[String(other?.id)] = other?.statement;
  },
  'replaces a statement and its place in the anchor': (draft, at, { other }) => {
    const [anchor] = draft.anchors;
    const ids = anchor?.statements ?? [];
    const id = pick(ids, at);
    delete draft.statements[id];
    draft.statements[String(other?.id)] = other?.statement;
    ids[ids.indexOf(id)] = String(other?.id);
  },
  'adds a statement': ({ statements }, _at, { other }) => {
    statements[String(other?.id)] = other?.statement;
  },
  'adds a statement and names it in the anchor': ({ statements, anchors }, at, { other }) => {
    statements[String(other?.id)] = other?.statement;
    anchors[0]?.statements.splice(at % 5, 0, String(other?.id));
  },
  'removes a statement and its place in the anchor': (draft, at) => {
    const ids = draft.anchors[0]?.statements ?? [];
    const id = pick(ids, at);
    delete draft.statements[id];
    ids.splice(ids.indexOf(id), 1);
  },
  'swaps two places in the anchor': ({ anchors }, at) => {
    const ids = anchors[0]?.statements ?? [];
    const [one, other] = [at % ids.length, (at + 1) % ids.length];
    [ids[one], ids[other]] = [String(ids[other]), String(ids[one])];
  },
  'removes the anchor': ({ anchors }) => {
    anchors.pop();
  },
  'repeats the anchor': ({ anchors }) => {
    anchors.push(structuredClone(anchors[0]) as Anchor);
  },
  'moves the first entry': ({ anchors }, at) => {
    for (const location of anchors[0]?.locations ?? []) location.first = 1 + at;
  },
  'removes the note of the service': ({ anchors }) => {
    for (const location of anchors[0]?.locations ?? []) location.entries = {};
  },
  'changes the note of the service': ({ anchors }, at) => {
    for (const location of anchors[0]?.locations ?? [])
      location.entries['0'] = changedText(String(location.entries['0']), at);
  },
  'changes a character of the proof': ({ anchors }, at) => {
    for (const location of anchors[0]?.locations ?? []) location.proof = changedText(location.proof, at);
  },
  'cuts the proof': ({ anchors }, at) => {
    for (const location of anchors[0]?.locations ?? [])
      location.proof = location.proof.slice(0, at % location.proof.length);
  },
};

function pick<Item>(items: readonly Item[], at: number): Item {
  return items[at % items.length] as Item;
}

function changedText(text: string, at: number): string {
  const place = at % text.length;
  return `${text.slice(0, place)}${text[place] === 'A' ? 'B' : 'A'}${text.slice(place + 1)}`;
}

describe('a manifest that is complete', () => {
  it('says which statements a log had, at which size', async () => {
    const { manifest, trust } = await sample();
    const { findings, summary } = await verifiedManifest(pool, bytesOf(manifest), 'json', trust);
    expect(findings.filter(({ kind }) => kind !== 'log')).toEqual([]);
    expect(unmetRequirement(summary, await judge(summary), { requireComplete: true })).toBeUndefined();
    expect(summary.logs.map(wholeLogWords)).toEqual([
      'all 5 statements that graph 1b4e28ba-2fa1-41d2-883f-0016d3cca427 had at log size 4 of cairn.example/log/v1, at a time that no signature tells',
    ]);
    expect(summary.logs[0]?.notes).toEqual([
      '{"at":"1970-01-01T00:00:00.000Z","note":"made from an older store"}',
    ]);
  });

  it('is never called complete after a change of any one piece', async () => {
    const original = await sample();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(changes)), fc.nat(10_000), async (name, at) => {
        const draft = structuredClone(original.manifest) as unknown as Draft;
        changes[name]?.(draft, at, original);
        const { summary } = await verifiedManifest(pool, bytesOf(draft), 'json', original.trust);
        expect(summary.faults, `${name} at ${at}`).toBeGreaterThan(0);
      }),
      { numRuns: runs(1_000), examples: Object.keys(changes).map((name) => [name, 3]) },
    );
  });
});
