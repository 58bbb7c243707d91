/** Whether a path belongs to the control plane, also where it shares its address with the integrity service. */
export function isControlPlanePath(path: string): boolean {
  return path === '/health' || path.startsWith('/v1/') || isAccessPage(path);
}

/** Whether a path is the start page of the user interface. */
export function isEntry(path: string): boolean {
  return path === '/' || path === '/ui';
}

/** Whether a path is a page of the control plane. Other sites may link to pages. */
export function isAccessPage(path: string): boolean {
  return path === '/ui/sign-in' || path === '/ui/account';
}
