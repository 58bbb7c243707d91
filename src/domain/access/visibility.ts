/** What lists, searches, traversals and counts may show: everything, or the content of some projects. */
export type Visibility = { readonly projects: 'all' | ReadonlySet<string> };

export const everythingVisible: Visibility = { projects: 'all' };

export function isVisible(projectId: string, { projects }: Visibility): boolean {
  return projects === 'all' || projects.has(projectId);
}
