import { jcs } from '../identification/jcs.ts';
import { cidOf, cidUrn, codecs } from '../identifiers/cid.ts';
import { termsIri } from '../kinds/kind.ts';

const term = (name: string, more: object = {}) => [name, { '@id': termsIri + name, ...more }] as const;

/** The terms of the credentials that governance issues, beside those of the W3C credentials context. */
const definitions = {
  '@version': 1.1,
  '@protected': true,
  ...Object.fromEntries([
    term('ProjectMembershipCredential'),
    term('PolicyComplianceCredential'),
    term('project', { '@type': '@id' }),
    term('policy', { '@type': '@id' }),
    term('role', { '@container': '@set' }),
  ]),
};

/** The document's bytes are its JCS form, so that its name follows from its meaning. */
export const governanceContextText = jcs({ '@context': definitions });

export const governanceContextUrl = cidUrn(cidOf(codecs.raw, governanceContextText));
