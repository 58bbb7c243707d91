import type { FormatLibraries } from '../../src/domain/integrity/evidence/reading.ts';
import { cyclonedxFromXml } from '../../src/domain/integrity/evidence/sbom/cyclonedx-xml.ts';

/** XML of CycloneDX, and the official schemas of CycloneDX. */
export const formatLibraries: FormatLibraries = {
  async fromXml(file, maxDepth) {
    const { xmlTree } = await import('./xml-tree.ts');
    return cyclonedxFromXml(xmlTree(file, maxDepth));
  },
  async assertFollows(schema, document, xml) {
    if (xml) (await import('./xml-schemas.ts')).assertFollowsXmlSchema(schema, xml);
    else (await import('./schemas.ts')).assertFollowsSchema(schema, document);
  },
};
