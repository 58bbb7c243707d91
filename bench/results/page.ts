/** Replaces the figures of a section. The first paragraph, which says what is measured, stays. */
export function withFigures(page: string, title: string, figures: string): string {
  const sections = page.split(/^(?=## )/m);
  const at = sections.findIndex((section) => section.startsWith(`## ${title}\n`));
  if (at < 0) throw new Error(`The page has no section "## ${title}" to hold the figures.`);
  const [heading, about] = (sections[at] ?? '').split('\n\n');
  return `${sections.with(at, `${heading}\n\n${about?.trim()}\n\n${figures}\n\n`).join('').trimEnd()}\n`;
}
