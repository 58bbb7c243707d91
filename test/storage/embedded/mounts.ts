import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Whether this process may mount: as root, where mounting is allowed. */
export const mayMount = tryMount();

function tryMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), 'cairn-mount-'));
  const isMounted = mount('-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder);
  if (isMounted) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return isMounted;
}

/** A file system of its own in memory, gone when the test is over. @param size as mount reads it, such as `6m`. */
export function mountedFolder(size: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-mount-'));
  if (!mount('-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder))
    throw new Error(`Cannot mount ${folder}.`);
  onTestFinished(() => {
    spawnSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

export function makeReadOnly(folder: string): void {
  if (!mount('-o', 'remount,ro', folder)) throw new Error(`Cannot remount ${folder}.`);
}

function mount(...args: string[]): boolean {
  return spawnSync('mount', args).status === 0;
}
