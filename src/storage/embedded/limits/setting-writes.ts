import type { DatabaseSync } from 'node:sqlite';

/** Writes of single values under a name, for the thread that writes. */
export function settingWrites(database: DatabaseSync) {
  const upsert = database.prepare(
    'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  );
  return {
    putSetting({ name, value }: { name: string; value: string }): void {
      upsert.run(name, value);
    },
  };
}
