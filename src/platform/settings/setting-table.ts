import { accessSettingTable } from './access.ts';
import { controlPlaneSettingTable } from './control-plane.ts';
import { limitSettingTable } from './limits.ts';
import { placeSettingTable } from './place.ts';
import type { ValuesOf } from './setting.ts';

/** Every setting of both services. */
export const settingTable = {
  ...placeSettingTable,
  ...accessSettingTable,
  ...limitSettingTable,
  ...controlPlaneSettingTable,
};

export type Settings = ValuesOf<typeof settingTable>;

export type SettingName = keyof typeof settingTable;

export type ServedService = 'integrity' | 'control-plane';
