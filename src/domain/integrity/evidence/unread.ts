import { isObject, type JsonObject } from '../../json/is-object.ts';
import { isLayout } from './in-toto/link.ts';

interface UnreadFormat {
  readonly title: string;
  readonly recognises: (document: JsonObject) => boolean;
  readonly advice: string;
}

/** For what does not name what it is about by its digest. */
const asPredicate =
  'Make it the predicate of an in-toto statement about the artefact, or store it with "cairn put".';

/** Formats that people bring and that Cairn does not read. */
const formats: readonly UnreadFormat[] = [
  {
    title: 'OpenVEX',
    recognises: (document) => String(document['@context']).startsWith('https://openvex.dev/ns'),
    advice: asPredicate,
  },
  {
    title: 'CSAF',
    recognises: ({ document }) => isObject(document) && 'csaf_version' in document,
    advice: asPredicate,
  },
  {
    title: 'SARIF',
    recognises: ({ $schema, runs }) => /sarif/i.test(String($schema)) && Array.isArray(runs),
    advice: asPredicate,
  },
  {
    title: 'A trace of OpenTelemetry',
    recognises: (document) => 'resourceSpans' in document,
    advice: 'Send it to POST /v1/traces of the control plane.',
  },
  {
    title: 'A layout of in-toto',
    recognises: (document) => isLayout(isObject(document.signed) ? document.signed : document),
    advice: 'It says which steps are wanted, and the links say what was done: import these.',
  },
  {
    title: 'A bundle of cosign before Sigstore bundles',
    recognises: (document) => 'base64Signature' in document,
    advice: 'Sign with "cosign sign-blob --new-bundle-format --bundle FILE", and import that file.',
  },
  {
    title: "Syft's own format",
    recognises: ({ artifacts, descriptor }) => Array.isArray(artifacts) && isObject(descriptor),
    advice: 'Write it as CycloneDX: syft convert FILE -o cyclonedx-json',
  },
  {
    title: 'A dependency snapshot of GitHub',
    recognises: ({ detector, manifests }) => isObject(detector) && isObject(manifests),
    advice: 'Write the same as CycloneDX or SPDX in JSON.',
  },
  {
    title: "Trivy's own format",
    recognises: (document) => 'SchemaVersion' in document && 'ArtifactName' in document,
    advice: 'Write it as CycloneDX: trivy convert --format cyclonedx FILE',
  },
];

/** What to do with a document in a format that is not read; undefined if the format is none of these. */
export function adviceOnUnread(document: JsonObject): string | undefined {
  const format = formats.find(({ recognises }) => recognises(document));
  return format && `${format.title} is not read by itself. ${format.advice}`;
}
