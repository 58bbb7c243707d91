import { cidOfFile } from './file-hash.ts';

/** The field of the header finds a file that is dropped on it. Pages with a place for files take them anywhere. */
const field = document.querySelector<HTMLInputElement>('header #search');
const form = field?.form;

async function find(file: File): Promise<void> {
  if (!field || !form) return;
  field.value = '';
  const { placeholder } = field;
  field.placeholder = `Computing the hash of “${file.name}”…`;
  try {
    field.value = await cidOfFile(file, () => {}, new AbortController().signal);
    form.requestSubmit();
  } catch {
    field.placeholder = `“${file.name}” cannot be read.`;
    return;
  }
  field.placeholder = placeholder;
}

if (form && !document.querySelector('#file')) {
  form.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  });
  form.addEventListener('drop', (event) => {
    const [file] = event.dataTransfer?.files ?? [];
    if (!file) return;
    event.preventDefault();
    void find(file);
  });
}
