import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { withFolder } from '../service-process.ts';

// Writes docs/lineage.png: the lineage page of the demo in headless Chromium.

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const root = join(import.meta.dirname, '..', '..');
const file = join(root, 'docs', 'lineage.png');

await withFolder(async (folder) => {
  const demo = spawn(process.execPath, [join(root, 'bench', 'demo.ts')], {
    env: { ...process.env, CAIRN_PORT: '0', CAIRN_DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(demo, 'exit');
  try {
    let printed = '';
    for await (const chunk of demo.stdout) {
      printed += chunk;
      if (printed.includes('Ready after')) break;
    }
    const [start] = /http:\S+\/ui\b/.exec(printed) ?? [];
    if (!start) throw new Error('The demo ended before it printed the address of its start page.');
    await takeScreenshot(start);
  } finally {
    demo.kill('SIGINT');
    await ended;
  }
});

async function takeScreenshot(start: string): Promise<void> {
  await using browser = await chromium.launch({ executablePath });
  const page = await browser.newPage({
    viewport: { width: 1_440, height: 620 },
    reducedMotion: 'reduce',
  });
  await page.goto(start);
  await page.getByRole('searchbox', { name: 'Find anything' }).fill('model.json');
  await page.keyboard.press('Enter');
  await page.locator('#results').getByRole('link', { name: 'model.json' }).first().click();
  await page.locator('#view:not([aria-busy])').waitFor();
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: file });
}
