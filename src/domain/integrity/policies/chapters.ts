import type { Condition } from './condition.ts';
import type { Chapter, Section } from './policy.ts';

/** A part of a report. */
export interface CompiledSection extends Omit<Section, 'show'> {
  readonly show: readonly { readonly label: string; readonly condition: Condition }[];
}

export interface CompiledChapter extends CompiledSection {
  readonly sections: readonly CompiledSection[];
}

interface Compiler {
  /** Says if no rule has this name. */
  readonly rule: (path: Path, name: string) => void;
  /** Undefined if the text is faulty, which it says. */
  readonly value: (path: Path, text: string) => Condition | undefined;
}

type Path = readonly PropertyKey[];

/** Checks the chapters of a policy: the names of their rules, and what they show. */
export function compileChapters(chapters: readonly Chapter[], compiler: Compiler): CompiledChapter[] {
  return chapters.map(({ sections, ...chapter }, at) => {
    const path = ['chapters', at];
    return {
      ...compileSection(chapter, path, compiler),
      sections: sections.map((one, place) => compileSection(one, [...path, 'sections', place], compiler)),
    };
  });
}

function compileSection(
  { show, ...section }: Section,
  path: Path,
  { rule, value }: Compiler,
): CompiledSection {
  for (const [at, name] of section.rules.entries()) rule([...path, 'rules', at], name);
  const shown = show.flatMap(({ label, value: text }, at) => {
    const condition = value([...path, 'show', at, 'value'], text);
    return condition ? { label, condition } : [];
  });
  return { ...section, show: shown };
}

/** By the names of rules: the article of the first chapter or section that has the rule. */
export function articlesOfRules(chapters: readonly Chapter[]): Map<string, string> {
  const articles = new Map<string, string>();
  for (const { sections, ...chapter } of chapters)
    for (const { rules, article = chapter.article } of [chapter, ...sections])
      for (const name of rules) if (article !== undefined && !articles.has(name)) articles.set(name, article);
  return articles;
}
