import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { verifierPage } from '../src/ui/verifier/page.ts';
import { ingestParts } from './batch-ingestion.ts';
import { exportTo } from './load/manifest-transfer.ts';
import { report } from './measure.ts';
import { startService, withFolder } from './service-process.ts';

// Verifies a manifest of about 50 MB with the page, from the drop to the verdict, and with `cairn verify`.

const statements = Number(process.env.STATEMENTS ?? 77_000);
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium-headless-shell';
const root = join(import.meta.dirname, '..');
const longestMs = 600_000;

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}

async function onCommandLine(file: string): Promise<void> {
  const args = ['--disable-warning=ExperimentalWarning', join(root, 'src/main.ts'), 'verify', file, '--json'];
  const [code] = await once(spawn(process.execPath, args, { stdio: 'ignore' }), 'exit');
  if (code !== 0) throw new Error(`cairn verify ended with ${code}.`);
}

async function onPage(page: string, file: string): Promise<number> {
  const browser = await chromium.launch({ executablePath });
  try {
    const tab = await browser.newPage();
    await tab.goto(`file://${page}`);
    return await seconds(async () => {
      await tab.setInputFiles('input[type=file]', [file]);
      await tab.locator('.verdict[data-exit-code="0"]').waitFor({ timeout: longestMs });
    });
  } finally {
    await browser.close();
  }
}

await withFolder(async (folder) => {
  const [file, page] = [join(folder, 'manifest.json'), join(folder, 'verify.html')];
  {
    await using service = await startService(join(folder, 'data'));
    await ingestParts(service.url, statements);
    await exportTo(service.url, file, 'include_context=true', 'application/json');
  }
  const made = await seconds(async () => await writeFile(page, await verifierPage()));
  const { size } = await stat(file);
  const row = (what: string, taken: number) => ({ what, seconds: taken, 'statements/s': statements / taken });
  report(`A manifest of ${statements.toLocaleString('en')} statements and ${Math.round(size / 1e6)} MB`, [
    row('the page', await onPage(page, file)),
    row('cairn verify', await seconds(() => onCommandLine(file))),
    { what: 'making the page', seconds: made },
  ]);
});
