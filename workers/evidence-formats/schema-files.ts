/** An official schema of CycloneDX, which the library of that format brings along. */
export function schemaFile(name: string): URL {
  const library = import.meta.resolve('@cyclonedx/cyclonedx-library/package.json');
  return new URL(`res/schema/${name}`, library);
}
