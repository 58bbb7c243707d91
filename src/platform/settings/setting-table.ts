import { accessSettingTable } from './access.ts';
import { controlPlaneSettingTable } from './control-plane.ts';
import { limitSettingTable } from './limits.ts';
import { placeSettingTable } from './place.ts';
import type { ValuesOf } from './setting.ts';

/** Every setting of the service: what it is called, how it is read, what it is when nobody sets it. */
export const settingTable = {
  ...placeSettingTable,
  ...accessSettingTable,
  ...limitSettingTable,
  ...controlPlaneSettingTable,
};

export type Settings = ValuesOf<typeof settingTable>;

export type SettingName = keyof typeof settingTable;

/** A service with an address of its own. */
export type ServedService = 'integrity' | 'control-plane';
