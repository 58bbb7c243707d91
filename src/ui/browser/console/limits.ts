import type { DynamicConfigAnswer } from '../../../contract/integrity/dynamic-config.ts';
import { ask, askJson, Failure, sentenceOf } from '../api.ts';
import { announce, part } from '../element.ts';

const address = '/dynamic-config/v1';
const form = part('limits', HTMLFormElement);
const controls = [...form.elements].filter(
  (control) => control instanceof HTMLInputElement || control instanceof HTMLButtonElement,
);
const inputs = controls.filter((control) => control instanceof HTMLInputElement);

function fill(limits: DynamicConfigAnswer): void {
  const values: Readonly<Record<string, number>> = limits;
  for (const input of inputs) input.value = String(values[input.name] ?? '');
}

async function show(): Promise<void> {
  const response = await ask(address);
  fill(await response.json());
  if (response.headers.get('allow')?.includes('PUT'))
    for (const control of controls) control.disabled = false;
  else
    part('problem').textContent =
      'You may read the limits. To change them you need the permission manage_configuration.';
}

function complain(error: unknown): void {
  const needsToken = error instanceof Failure && error.status === 401;
  part('problem').textContent = needsToken
    ? 'The integrity service accepts only bearer tokens, and a page has none. On the command line, run “cairn login” and then “cairn limits --reads 64 --writes 32”.'
    : sentenceOf(error);
}

async function save(): Promise<void> {
  part('problem').textContent = '';
  const limits = Object.fromEntries(inputs.map((input) => [input.name, input.valueAsNumber]));
  try {
    const headers = { 'content-type': 'application/json' };
    fill(await askJson(address, { method: 'PUT', headers, body: JSON.stringify(limits) }));
    announce('The limits are saved.');
    part('problem').textContent = '';
  } catch (error) {
    complain(error);
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void save();
});
show().catch(complain);
