import { ask, Failure, sentenceOf } from './api.ts';
import { copyable } from './copying.ts';
import { button, element, part } from './element.ts';
import { cidOfFile } from './file-hash.ts';

/** Lets the reader find a file by its hash: a button in `place`, and dropping a file anywhere on the page. */
function attachFileDrop(place: HTMLElement): void {
  const chooser = element('input', { type: 'file', hidden: true });
  const status = element('div', { role: 'status', class: 'found-file' });
  const stays = 'Its bytes stay on this machine.';
  place.append(
    button('Choose a file', () => chooser.click(), { title: `Or drop one on this page. ${stays}` }),
    element('span', { class: 'stays' }, element('span', {}, 'or drop one here. '), stays),
    chooser,
    status,
  );
  let looking = new AbortController();

  async function find(file: File) {
    looking.abort();
    looking = new AbortController();
    const { signal } = looking;
    const progress = element('progress', { max: '1', value: '0', 'aria-label': 'Read' });
    status.replaceChildren(`Computing the hash of “${file.name}”. Nothing is sent. `, progress);
    let cid = '';
    try {
      cid = await cidOfFile(file, (share) => progress.setAttribute('value', String(share)), signal);
      await openLineage(cid);
      if (!signal.aborted) status.replaceChildren();
    } catch (error) {
      if (signal.aborted) return;
      const close = button('Close', () => status.replaceChildren());
      status.replaceChildren(...problem(error, file.name, cid), close);
    }
  }

  function take(files: readonly File[]) {
    const [file] = files;
    if (file && files.length === 1) void find(file);
    else if (files.length > 1) status.replaceChildren(`These are ${files.length} files. Drop one.`);
  }

  chooser.addEventListener('change', () => {
    take([...(chooser.files ?? [])]);
    chooser.value = '';
  });
  acceptDrops(take, () => status.replaceChildren('This is a folder. Drop a single file.'));
}

function acceptDrops(take: (files: readonly File[]) => void, refuseFolder: () => void): void {
  const mark = (isOver: boolean) => document.body.classList.toggle('dropping', isOver);
  addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    mark(true);
  });
  addEventListener('dragleave', ({ relatedTarget }) => mark(relatedTarget !== null));
  addEventListener('drop', (event) => {
    mark(false);
    const { dataTransfer } = event;
    if (!dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    const isFolder = [...dataTransfer.items].some((item) => item.webkitGetAsEntry()?.isDirectory);
    if (isFolder) refuseFolder();
    else take([...dataTransfer.files]);
  });
}

/** Opens the lineage of a CID that the service knows. @throws Failure otherwise, with 404 if it is unknown. */
async function openLineage(cid: string): Promise<void> {
  await ask(`/lineage/v1/${cid}?depth=0&limit=1`);
  location.assign(`/ui/lineage/${cid}`);
}

function problem(error: unknown, name: string, cid: string): (Node | string)[] {
  const isUnknown = error instanceof Failure && error.status === 404;
  const sentence = isUnknown ? `The service does not know “${name}”.` : sentenceOf(error);
  return [
    element('p', { role: 'alert' }, sentence),
    ...(cid === '' ? [] : [element('p', {}, 'Its CID is ', copyable(cid, 'the CID'))]),
  ];
}

attachFileDrop(part('file'));
