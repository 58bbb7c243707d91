import { ask, sentenceOf } from '../api.ts';
import { badge } from '../badge.ts';

const pauseMs = 10_000;

async function probe(row: HTMLElement): Promise<void> {
  const standing = row.querySelector('.standing');
  const startedAt = performance.now();
  const shown = await ask(row.dataset.probe ?? '', { cache: 'no-store' }).then(
    () => [badge('good', 'up'), ` in ${Math.round(performance.now() - startedAt)} ms`],
    (error) => [badge('bad', 'down'), ` ${sentenceOf(error)}`],
  );
  standing?.replaceChildren(...shown);
}

async function look(): Promise<void> {
  if (document.visibilityState === 'visible')
    await Promise.all([...document.querySelectorAll<HTMLElement>('[data-probe]')].map(probe));
  setTimeout(() => void look(), pauseMs);
}

void look();
