// What the commands use of node:path. Dropped files have names without folders, except for the folder of the keys.

export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function extname(path: string): string {
  return /.(\.[^.]*)$/.exec(basename(path))?.[1] ?? '';
}

export function join(...parts: readonly string[]): string {
  return parts.join('/');
}
