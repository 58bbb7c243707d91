import { readdirSync, readlinkSync } from 'node:fs';

/** The files below a folder that this process has open, on Linux. */
export function openFilesUnder(folder: string): string[] {
  const targets = readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target.startsWith(folder)).toSorted();
}
