import { readFileSync } from 'node:fs';
import {
  ParseOption,
  XmlBufferInputProvider,
  XmlDocument,
  XmlLibError,
  XsdValidator,
  xmlRegisterInputProvider,
} from 'libxml2-wasm';
import { EvidenceProblem } from '../../src/domain/integrity/evidence/evidence.ts';
import { schemaFile } from './schema-files.ts';

// The only file that the XML library can read beside what it is given.
const licences = 'spdx.SNAPSHOT.xsd';
xmlRegisterInputProvider(new XmlBufferInputProvider({ [licences]: readFileSync(schemaFile(licences)) }));

const validators = new Map<string, XsdValidator>();

/** @throws EvidenceProblem if XML does not follow an official schema, such as `cyclonedx-1.6`. */
export function assertFollowsXmlSchema(name: string, xml: Uint8Array): void {
  const validator = validators.get(name) ?? compiled(name);
  validators.set(name, validator);
  try {
    using document = XmlDocument.fromBuffer(xml, { option: ParseOption.XML_PARSE_NONET });
    validator.validate(document);
  } catch (error) {
    if (!(error instanceof XmlLibError)) throw error;
    const [first] = error.details;
    const reason = (first?.message ?? error.message).trim().replaceAll(/\{http:[^}]*\}/g, '');
    const line = first === undefined ? '' : `Line ${first.line} of the XML: `;
    throw new EvidenceProblem(
      `${line}${name.replace(/^cyclonedx-/, 'CycloneDX ')} does not allow it. ${shortened(reason)}`,
    );
  }
}

/** Some lists of what is allowed, as that of licences, are long. */
function shortened(reason: string): string {
  return reason.length <= mostWords ? reason : `${reason.slice(0, mostWords)}…`;
}
const mostWords = 500;

function compiled(name: string): XsdValidator {
  const version = name.replace(/^cyclonedx-/, '');
  using schema = XmlDocument.fromBuffer(readFileSync(schemaFile(`bom-${version}.SNAPSHOT.xsd`)));
  return XsdValidator.fromDoc(schema);
}
