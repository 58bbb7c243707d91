import { button, element, part } from '../ui/browser/element.ts';
import type { Outcome } from './collected.ts';
import { outcomeSection, unappliedSection } from './outcome-section.ts';
import type { Dropped, Told } from './verification.ts';

/** Shows what the worker finds out about the files that the reader drops. */
export function openPage(): void {
  const script = part('script').textContent ?? '';
  const address = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const files = new Map<string, File>();
  const [list, status, outcomes] = [part('files'), part('status'), part('outcomes')];
  const trusted = part('trusted', HTMLTextAreaElement);
  const [subject, service] = [part('subject', HTMLInputElement), part('service', HTMLInputElement)];
  let worker: Worker | undefined;
  let isAtWork = false;
  const saved: string[] = [];

  function stop(): void {
    worker?.terminate();
    worker = undefined;
    finish();
  }

  function finish(): void {
    isAtWork = false;
    status.replaceChildren();
  }

  /** Begins from the start, because each file may say something about the others. */
  function verify(): void {
    if (isAtWork) stop();
    for (const url of saved.splice(0)) URL.revokeObjectURL(url);
    outcomes.replaceChildren();
    list.replaceChildren(...[...files.keys()].map((path) => fileItem(path)));
    part('again').hidden = files.size === 0;
    if (files.size === 0) return;
    // It takes a while to start one.
    worker ??= new Worker(address);
    isAtWork = true;
    const progress = element('progress', { 'aria-label': 'Verifying' });
    const doing = element('span', {}, 'Reading');
    const cancel = () => {
      stop();
      status.replaceChildren('Stopped. Nothing was verified.');
    };
    status.replaceChildren(progress, doing, button('Stop', cancel));
    worker.onmessage = ({ data }: MessageEvent<Told>) => show(data, doing);
    worker.onerror = ({ message }) => refuse(`Something failed inside the page: ${message}`);
    const sent = [...files].map(([path, file]) => ({ path, file }));
    worker.postMessage({
      script,
      files: sent,
      trusted: words(trusted.value),
      subject: subject.value.trim(),
      service: words(service.value),
    } satisfies Dropped);
  }

  function show(told: Told, doing: HTMLElement): void {
    switch (told.kind) {
      case 'sorted':
        list.replaceChildren(...told.files.map(({ path, role }) => fileItem(path, roleNames[role])));
        part('checking').hidden = !told.files.some(({ role }) => role === 'policy');
        if (!told.files.some(({ isSubject }) => isSubject))
          refuse('Drop what these keys and policies are to verify, too.');
        break;
      case 'begun':
        doing.textContent = `Verifying ${told.path}`;
        break;
      case 'read':
        doing.textContent = `Verifying ${told.path}: ${(told.bytes / 2 ** 20).toFixed(0)} MiB read`;
        break;
      case 'outcome':
        showOutcome(told.outcome);
        break;
      case 'unapplied':
        outcomes.append(unappliedSection(told.policy, `policy-${outcomes.childElementCount}`));
        break;
      case 'refused':
        refuse(told.reason);
        break;
      case 'done':
        finish();
    }
  }

  function refuse(reason: string): void {
    stop();
    outcomes.append(element('p', { role: 'alert' }, `Nothing was verified. ${reason}`));
  }

  function fileItem(path: string, role?: string): HTMLElement {
    const remove = () => {
      files.delete(path);
      verify();
    };
    const size = files.get(path)?.size.toLocaleString('en');
    return element(
      'li',
      {},
      element('b', {}, path),
      element('span', { class: 'quiet' }, `${role === undefined ? '' : `${role}, `}${size} bytes`),
      button('Remove', remove, { 'aria-label': `Remove ${path}` }),
    );
  }

  function showOutcome(outcome: Outcome): void {
    const url = URL.createObjectURL(outcome.json);
    saved.push(url);
    outcomes.append(outcomeSection(outcome, url, `outcome-${saved.length}`));
  }

  function add(dropped: Iterable<File>): void {
    for (const file of dropped) files.set(file.name, file);
    verify();
  }

  const chooser = element('input', { type: 'file', multiple: true, hidden: true });
  chooser.addEventListener('change', () => {
    add(chooser.files ?? []);
    chooser.value = '';
  });
  part('choose').append(
    button('Choose files', () => chooser.click(), { class: 'choice' }),
    chooser,
  );
  const startOver = () => {
    files.clear();
    verify();
  };
  part('again').append(button('Verify again', verify), button('Start over', startOver));
  acceptDrops(add, () => {
    outcomes.replaceChildren(element('p', { role: 'alert' }, 'This is a folder. Drop the files in it.'));
  });
}

const words = (text: string) => text.split(/\s+/).filter(Boolean);

const roleNames = {
  manifest: 'a manifest',
  credential: 'a credential',
  receipt: 'receipts of a log',
  'status list': 'a status list',
  key: 'a key that you trust',
  'log key': 'the key of a log that you trust',
  'log policy': 'a log policy: logs and witnesses that you trust',
  policy: 'a policy',
  other: 'a statement, statements in lines, or other content',
} as const;

function acceptDrops(take: (files: Iterable<File>) => void, refuseFolder: () => void): void {
  const mark = (isOver: boolean) => document.body.classList.toggle('dropping', isOver);
  addEventListener('dragover', (event) => {
    event.preventDefault();
    mark(true);
  });
  addEventListener('dragleave', ({ relatedTarget }) => mark(relatedTarget !== null));
  addEventListener('drop', (event) => {
    event.preventDefault();
    mark(false);
    const { items, files } = event.dataTransfer ?? new DataTransfer();
    if ([...items].some((item) => item.webkitGetAsEntry()?.isDirectory)) refuseFolder();
    else if (files.length > 0) take(files);
  });
}
