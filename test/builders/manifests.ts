interface Parts {
  readonly contexts?: object;
  readonly statements?: object;
  readonly blobs?: object;
  readonly anchors?: readonly unknown[];
}

/** A manifest of version 3. Parts that are not given are empty. */
export function manifest(parts: Parts = {}) {
  return { version: '3', contexts: {}, statements: {}, blobs: {}, ...parts };
}
