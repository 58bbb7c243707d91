import { html } from 'hono/html';
import { runTimeLimitBounds } from '../../domain/integrity/dynamic-config.ts';
import { runTimeLimits } from '../header.ts';
import type { ConsolePage } from './shell.ts';

/** The form of the run-time limits. Its script asks the integrity service for the values. */
export function limitsPage(): ConsolePage {
  const { min, max } = runTimeLimitBounds;
  const field = (name: string, label: string) =>
    html`<label>${label} <input name="${name}" type="number" min="${min}" max="${max}" required inputmode="numeric" disabled></label>`;
  return {
    title: 'Run-time limits',
    here: runTimeLimits,
    script: 'console/limits.ts',
    content: html`<p>How many blobs are read and written at once. Requests above a limit wait. A change applies in every process within two seconds, without a restart. On the command line:</p>
<pre tabindex="0"><code>cairn limits --reads 64 --writes 32</code></pre>
<form id="limits" class="filters">
${field('blob_store_fetch_concurrency_limit', 'Blobs read at once')}
${field('blob_store_write_concurrency_limit', 'Blobs written at once')}
<button disabled>Save</button>
</form>`,
  };
}
