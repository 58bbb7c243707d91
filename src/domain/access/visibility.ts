/** What a list, search, traversal or count may show: all, or the content of some projects. */
export type Visibility = { readonly projects: 'all' | ReadonlySet<string> };

export const everythingVisible: Visibility = { projects: 'all' };
