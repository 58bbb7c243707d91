import { ContextsFolder } from '../../platform/contexts-folder.ts';
import { failUsage } from '../terminal/failure.ts';
import { pathKind } from './local-files.ts';

/** @throws Failure (usage) if a folder does not exist. */
export async function contextFolders(paths: readonly string[]): Promise<ContextsFolder[]> {
  for (const path of paths) {
    if ((await pathKind(path)) !== 'folder') failUsage(`The folder ${path} with contexts does not exist.`);
  }
  return paths.map((path) => new ContextsFolder(path));
}
