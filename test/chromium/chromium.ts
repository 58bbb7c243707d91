import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { describeWith } from '../describe-with.ts';

const usual = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);
const executablePath = process.env.CHROMIUM_PATH ?? usual.find((path) => existsSync(path));

/** A suite in a browser. Without a browser it is skipped, and in CI it fails. */
export function describeChromium(name: string, suite: (chromium: Chromium) => void): void {
  const path = executablePath ?? usual.join(', ');
  const isThere = executablePath !== undefined && existsSync(executablePath);
  describeWith(!isThere && `there is no Chromium at ${path} (CHROMIUM_PATH)`, name, () =>
    suite(useChromium(path)),
  );
}

/** What a script of a page sends. */
export interface PageRequest {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export interface Chromium {
  /** Opens a page in a new profile. */
  open(options?: BrowserContextOptions): Promise<WatchedPage>;
}

export interface WatchedPage extends AsyncDisposable {
  readonly page: Page;
  /** Problems that the browser reports: errors of scripts, policy violations, calls to other hosts. */
  readonly problems: readonly string[];
}

function useChromium(path: string): Chromium {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: path });
  });
  afterAll(async () => await browser.close());
  return {
    async open(options = {}) {
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
      const page = await context.newPage();
      // As long as a loaded machine may need.
      page.setDefaultTimeout(60_000);
      return { page, problems: watch(page), [Symbol.asyncDispose]: async () => await context.close() };
    },
  };
}

function watch(page: Page): readonly string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`thrown: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('request', (request) => {
    const { hostname } = new URL(request.url());
    if (!['127.0.0.1', 'localhost'].includes(hostname)) problems.push(`calls ${request.url()}`);
  });
  return problems;
}
