// Methods of Map and WeakMap that Node.js has from version 26 on, for older versions.

type Lookup = Pick<Map<unknown, unknown>, 'has' | 'get' | 'set'>;

function getOrInsertComputed(this: Lookup, key: unknown, make: (key: unknown) => unknown): unknown {
  if (!this.has(key)) this.set(key, make(key));
  return this.get(key);
}

function getOrInsert(this: Lookup, key: unknown, value: unknown): unknown {
  return getOrInsertComputed.call(this, key, () => value);
}

for (const { prototype } of [Map, WeakMap])
  for (const value of [getOrInsert, getOrInsertComputed])
    if (!(value.name in prototype))
      Object.defineProperty(prototype, value.name, { value, configurable: true, writable: true });
