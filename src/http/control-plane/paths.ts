/** Whether a path belongs to the control plane alone, also where it shares its address with other services. */
export function isControlPlanePath(path: string): boolean {
  return path === '/health' || path.startsWith('/v1/') || isAccessPage(path);
}

/** Whether a path is where people begin who were given no other. */
export function isEntry(path: string): boolean {
  return path === '/' || path === '/ui';
}

/** Whether a path is that of a page, to which other sites may link. */
export function isAccessPage(path: string): boolean {
  return path === '/ui/sign-in' || path === '/ui/account';
}
