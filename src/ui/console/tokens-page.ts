import { html } from 'hono/html';
import { tokens } from '../header.ts';
import type { ConsolePage } from './shell.ts';

/** @param problem why the caller cannot mint tokens. */
export function tokensPage(problem: string | undefined): ConsolePage {
  return {
    title: 'Registration tokens',
    here: tokens,
    script: 'console/tokens.ts',
    content: html`<p>An agent registers with a token that counts once, for 15 minutes. The agent will belong to you.</p>
${
  problem === undefined
    ? html`<form id="mint" class="filters">
<label>Name of the agent <input name="agent_name" required maxlength="200" autocomplete="off"></label>
<label>Handle (optional) <input name="agent_handle" maxlength="200" spellcheck="false" autocomplete="off" aria-describedby="handle-hint"></label>
<button>Mint a token</button>
</form>
<p id="handle-hint" class="quiet">With a handle, the agent has the same id each time, so registering again replaces its key.</p>
<section id="minted" hidden tabindex="-1" aria-labelledby="minted-heading">
<h2 id="minted-heading">The token</h2>
<p>It is shown only once. Run both commands where the agent runs, before <time id="expires"></time>.</p>
<ol>
<li>Set the token. Type a space first, so that the shell does not remember the line: <pre id="set-token" tabindex="0"></pre><button type="button" class="copy" data-copy="set-token" aria-label="Copy the line that sets the token">Copy</button></li>
<li>Register: <pre id="register" tabindex="0"></pre><button type="button" class="copy" data-copy="register" aria-label="Copy the command">Copy</button></li>
</ol>
<p><a id="minted-agent">The agent</a>, once it has registered.</p>
</section>`
    : html`<p>${problem}</p>`
}`,
  };
}
