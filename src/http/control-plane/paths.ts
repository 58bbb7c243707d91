import { getPath } from 'hono/utils/url';

export type Fetch = (request: Request, bindings?: object) => Response | Promise<Response>;

/** Both services behind one address. */
export function splitByPath(controlPlane: Fetch, integrity: Fetch): Fetch {
  return (request, bindings) =>
    isControlPlanePath(getPath(request)) ? controlPlane(request, bindings) : integrity(request, bindings);
}

/** Whether a path belongs to the control plane, also where it shares its address with the integrity service. */
export function isControlPlanePath(path: string): boolean {
  const isApi = path.startsWith('/v1/') || isBelow(path, '/log/v1/agents');
  return path === '/health' || isApi || isAccessPage(path) || isConsolePage(path);
}

/** Whether a path is the start page of the user interface. */
export function isEntry(path: string): boolean {
  return path === '/' || path === '/ui';
}

/** Whether a path is a page about signing in. Other sites may link to these. */
export function isAccessPage(path: string): boolean {
  return path === '/ui/sign-in' || path === '/ui/account';
}

export const consolePages = ['/ui/agents', '/ui/tokens', '/ui/limits', '/ui/audit-log', '/ui/health'];

/** Whether a path is a page of the console. The pages hold data. */
function isConsolePage(path: string): boolean {
  return consolePages.some((page) => isBelow(path, page));
}

function isBelow(path: string, top: string): boolean {
  return path === top || path.startsWith(`${top}/`);
}
