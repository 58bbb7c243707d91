import type { MintedTokenAnswer } from '../../../contract/control-plane/registrations.ts';
import { askJson, sentenceOf } from '../api.ts';
import { part } from '../element.ts';
import { localTime } from '../times.ts';

const form = document.getElementById('mint');
if (form instanceof HTMLFormElement)
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void mint(form);
  });

/** The token is only in this page, and only until the reader leaves it. */
async function mint(form: HTMLFormElement): Promise<void> {
  const problem = part('problem');
  problem.textContent = '';
  const fields = [...new FormData(form)].filter(([, value]) => value !== '');
  try {
    const minted = await askJson<MintedTokenAnswer>('/v1/agent-registration-tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(fields)),
    });
    part('set-token').textContent = ` export AGENT_PROVISIONING_TOKEN='${minted.registration_token}'`;
    part('register').textContent = minted.command_template;
    part('minted-agent', HTMLAnchorElement).href = `/ui/agents/${encodeURIComponent(minted.agent_id)}`;
    const expires = part('expires', HTMLTimeElement);
    expires.dateTime = minted.expires_at;
    expires.textContent = localTime(minted.expires_at);
    part('minted').hidden = false;
    part('minted').focus();
  } catch (error) {
    problem.textContent = sentenceOf(error);
  }
}
