import type { Receipts } from '../../../contract/integrity/log.ts';
import { harmless } from '../../../contract/words/text.ts';
import { askJson } from '../api.ts';
import { element } from '../element.ts';
import { localTime } from '../times.ts';

/** A name, the id of its key, a time in eight bytes, and a signature. */
const timeAt = 4;
const timeEnd = 12;

/** How often and how long the page waits for the log. */
const longestWaits = [10, 30];

/** Whether the log has the statement, and who else says so. Undefined if this service does not tell. */
export async function logStanding(bareId: string): Promise<HTMLElement | undefined> {
  const receipt = await askReceipt(bareId, 0).catch(() => undefined);
  if (receipt === undefined) return undefined;
  const shown = element('p', { class: 'logged', role: 'status' });
  shown.append(...(receipt === null ? ['Not in the log yet.'] : standing(bareId, receipt)));
  if (receipt === null) void showWhenLogged(shown, bareId);
  return shown;
}

async function showWhenLogged(shown: HTMLElement, bareId: string): Promise<void> {
  for (const seconds of longestWaits) {
    const receipt = await askReceipt(bareId, seconds).catch(() => undefined);
    if (receipt === undefined) return;
    if (receipt !== null) return shown.replaceChildren(...standing(bareId, receipt));
  }
}

/** Null if no published checkpoint has the statement yet. */
async function askReceipt(bareId: string, seconds: number): Promise<string | null> {
  const { receipts } = await askJson<Receipts>('/log/v1/proofs', {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: `wait=${seconds}` },
    body: JSON.stringify({ statements: [bareId] }),
  });
  return receipts[0]?.receipt ?? null;
}

function standing(bareId: string, receipt: string): (Node | string)[] {
  const by = cosigners(receipt);
  const seen =
    by.length === 0
      ? 'No witness has confirmed it.'
      : `Witnessed by ${by.map(({ name, at }) => `${harmless(name)} (${localTime(at * 1_000, 'medium')} by its clock)`).join(', ')}.`;
  const link = element('a', { href: `/log/v1/proof/${bareId}`, download: '' }, 'Receipt');
  return [`In the log. ${seen} `, link];
}

/** The witnesses of the checkpoint at the end of a receipt. The service has verified their signatures. */
function cosigners(receipt: string): { readonly name: string; readonly at: number }[] {
  const [, text = '', signatures = ''] = receipt.split('\n\n');
  const [origin] = text.split('\n');
  return signatures.split('\n').flatMap((line) => {
    const [, name = '', base64 = ''] = line.split(' ');
    if (name === '' || name === origin) return [];
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    if (bytes.length <= timeEnd) return [];
    return [{ name, at: Number(new DataView(bytes.buffer).getBigUint64(timeAt)) }];
  });
}
