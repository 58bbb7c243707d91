import { isObject, type JsonObject } from '../../json/is-object.ts';

/** Formats that people bring and that Cairn does not read. They do not name what they are about by its digest. */
const formats: readonly { readonly title: string; readonly recognises: (document: JsonObject) => boolean }[] =
  [
    {
      title: 'OpenVEX',
      recognises: (document) => String(document['@context']).startsWith('https://openvex.dev/ns'),
    },
    { title: 'CSAF', recognises: ({ document }) => isObject(document) && 'csaf_version' in document },
    {
      title: 'SARIF',
      recognises: ({ $schema, runs }) => /sarif/i.test(String($schema)) && Array.isArray(runs),
    },
  ];

/** What to do with a document in a format that is not read; undefined if the format is none of these. */
export function adviceOnUnread(document: JsonObject): string | undefined {
  const format = formats.find(({ recognises }) => recognises(document));
  return (
    format &&
    `${format.title} is not read by itself. Make it the predicate of an in-toto statement about the artefact, or store it with "cairn put".`
  );
}
