/** Every `urn:cid:` value in JSON, with the name of its member. Skips contexts and the id of the document. */
export function* cidUrnsIn(value: unknown, role = ''): Generator<readonly [role: string, urn: string]> {
  if (typeof value === 'string') {
    if (value.startsWith('urn:cid:')) yield [role, value];
  } else if (Array.isArray(value)) {
    for (const item of value) yield* cidUrnsIn(item, role);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      const isOwnId = key === '@id' && role === '';
      if (key !== '@context' && !isOwnId) yield* cidUrnsIn(member, key);
    }
  }
}
