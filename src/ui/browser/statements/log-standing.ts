import { harmless } from '../../../contract/words/text.ts';
import { ask, Failure } from '../api.ts';
import { element } from '../element.ts';
import { localTime } from '../times.ts';

/** A name, the id of its key, a time in eight bytes, and a signature. */
const timeAt = 4;
const timeEnd = 12;

/** Whether the log has the statement, and who else says so. Undefined if this service does not tell. */
export async function logStanding(bareId: string): Promise<HTMLElement | undefined> {
  const address = `/log/v1/proof/${bareId}`;
  try {
    const receipt = await (await ask(address)).text();
    const by = cosigners(receipt);
    const seen =
      by.length === 0
        ? 'No witness has confirmed it.'
        : `Witnessed by ${by.map(({ name, at }) => `${harmless(name)} (${localTime(at * 1_000, 'medium')} by its clock)`).join(', ')}.`;
    const link = element('a', { href: address, download: '' }, 'Receipt');
    return element('p', { class: 'logged' }, `In the log. ${seen} `, link);
  } catch (error) {
    const isWaiting = error instanceof Failure && error.status === 409;
    return isWaiting ? element('p', { class: 'logged' }, 'Not in the log yet.') : undefined;
  }
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
