import { describe, expect, test } from 'vitest';
import { bringUpToDate, type Upgrade, upgradeSteps } from '../../src/domain/maintenance/upgrades/upgrades.ts';
import { openEmbedded } from '../../src/storage/open.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** A step that names things, one in each part of its work. */
function naming(step: number, names: string[], things: readonly string[], diesAfter = Infinity): Upgrade {
  return {
    step,
    title: `Name ${things.join(' and ')}`,
    async *run(position) {
      for (const [done, thing] of things.entries()) {
        if (done < Number(position)) continue;
        if (done === diesAfter) throw new Error('killed');
        names.push(thing);
        yield { done: done + 1, position: String(done + 1) };
      }
    },
  };
}

describe('upgrades of a store', () => {
  test('run once each, in order, and go on after a step that was cut off anywhere', async () => {
    using folder = temporaryFolder();
    await using store = await openEmbedded(folder.path);
    const ran: [number, number][] = [];
    const upgrading = {
      steps: store.of(upgradeSteps),
      onProgress: ({ step }: Upgrade, done: number) => ran.push([step, done]),
      now: () => new Date(5),
    };
    const names = [] as string[];
    const first = naming(1, names, ['a']);
    await bringUpToDate(upgrading, [first]);
    for (const diesAfter of [0, 1])
      await expect(
        bringUpToDate(upgrading, [first, naming(2, names, ['b', 'c'], diesAfter)]),
      ).rejects.toThrow();
    expect(names).toEqual(['a', 'b']);
    expect(await upgrading.steps.get('2')).toMatchObject({ position: '1', finishedAt: null });
    const second = naming(2, names, ['b', 'c']);
    await Promise.all([1, 2].map(() => bringUpToDate(upgrading, [first, second])));
    expect(new Set(names)).toEqual(new Set(['a', 'b', 'c']));
    expect(await upgrading.steps.get('2')).toMatchObject({ title: 'Name b and c', finishedAt: 5 });
    ran.length = 0;
    await bringUpToDate(upgrading, [first, second]);
    expect(ran).toEqual([]);
  });

  test('a program refuses a store after a breaking step that it does not know, and no other', async () => {
    using folder = temporaryFolder();
    await using store = await openEmbedded(folder.path);
    const upgrading = { steps: store.of(upgradeSteps), onProgress: () => {}, now: () => new Date() };
    const names = [] as string[];
    const adding = naming(1, names, ['a']);
    const removing = { ...naming(2, names, ['b']), isBreaking: true };
    await bringUpToDate(upgrading, [adding]);
    await bringUpToDate(upgrading, []);
    await bringUpToDate(upgrading, [adding, removing]);
    await bringUpToDate(upgrading, [adding, removing]);
    await expect(bringUpToDate(upgrading, [adding])).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('A newer Cairn has changed the store (step 2: Name b)'),
    });
  });
});
