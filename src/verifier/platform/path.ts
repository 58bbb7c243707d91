// What the commands use of node:path. Dropped files have names without folders, except for the folder of the keys.

export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function extname(path: string): string {
  return /.(\.[^.]*)$/.exec(basename(path))?.[1] ?? '';
}

/** There is no other folder than the dropped files. */
export function resolve(_folder: string, path: string): string {
  return path;
}

export function join(...parts: readonly string[]): string {
  return parts.join('/');
}
