import { sha256 } from './merkle/hashing.ts';

const graphPrefix = 'graphs/';

/** The names of logs. Everything that is not in a log of its own kind has the name of its kind. */
export const logNames = {
  graph: (id: string) => `${graphPrefix}${id}`,
  /** The id of the graph whose log has this name; undefined for another log. */
  graphIn: (name: string) => (name.startsWith(graphPrefix) ? name.slice(graphPrefix.length) : undefined),
  agent: (id: string) => `agents/${id}`,
  /** Statements without a graph. */
  statements: 'statements',
  statusLists: 'status-lists',
  audit: 'audit',
  /** The log that has the heads of all others. */
  service: 'service',
} as const;

const domainSeparation = Buffer.from('cairn log v1');

/** What the service log says instead of the name of a log. Without the nonce of the log nobody can guess its name. */
export function blindedName(name: string, nonce: Uint8Array): Uint8Array {
  return sha256(Buffer.concat([domainSeparation, nonce, Buffer.from(name)]));
}

/** The origin of the service log, or of another log, of the service at a public URL: without a scheme. */
export function originOf(publicUrl: string, name: string = logNames.service): string {
  const { host, pathname } = new URL(publicUrl);
  return originBelow(`${host}${pathname.replace(/\/+$/, '')}/log/v1`, name);
}

/** The origin of the service log, or of a log below it. */
export function originBelow(serviceOrigin: string, name: string): string {
  return name === logNames.service ? serviceOrigin : `${serviceOrigin}/${name}`;
}
