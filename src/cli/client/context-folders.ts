import { ContextsFolder } from '../../platform/contexts-folder.ts';
import { failUsage } from '../terminal/failure.ts';
import type { ClientSettings } from './client-settings.ts';
import { pathKind } from './local-files.ts';

/** The folders of `--contexts`, and the one of the settings. @throws Failure (usage) if a folder does not exist. */
export async function contextFolders(
  named: readonly string[],
  { contextsDir }: Pick<ClientSettings, 'contextsDir'>,
): Promise<ContextsFolder[]> {
  const paths = contextsDir === null ? named : [...named, contextsDir];
  for (const path of paths)
    if ((await pathKind(path)) !== 'folder') failUsage(`The folder ${path} with contexts does not exist.`);
  return paths.map((path) => new ContextsFolder(path));
}
