import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { cidOf, cidUrn, codecs, makeCid } from '../../src/domain/integrity/identifiers/cid.ts';

// evidence.ts URL record IMAGE: the service says that it has built an image, and the id of its credential is printed.
// evidence.ts URL revoke CREDENTIAL

const [url = '', command, about = ''] = process.argv.slice(2);
const person = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at freely
async function sent(method: string, path: string, body?: object): Promise<any> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
}

if (command === 'record') {
  const digest = Buffer.from(about.replace(/^.*@sha256:/, ''), 'hex');
  const statement = {
    '@context': ownContextUrl,
    '@type': 'ComputationRegistration',
    registeredBy: person,
    operatedBy: person,
    timestamp: new Date().toISOString().replace(/\.\d+/, ''),
    input: cidUrn(cidOf(codecs.raw, 'source')),
    output: cidUrn(makeCid(codecs.raw, digest, 'sha2-256')),
  };
  const stored = await sent('PUT', '/statements/v1', { statement, generate_id: true, issue_vc: true });
  console.log(stored.credential_id);
} else if (command === 'revoke') {
  const id = encodeURIComponent(about);
  const { entries } = await sent('GET', `/credentials/v1/status?credential_id=${id}`);
  const { status: _, ...entry } = entries.find(
    ({ statusPurpose }: { readonly statusPurpose: string }) => statusPurpose === 'revocation',
  );
  const credentialStatus = { type: 'BitstringStatusListEntry', ...entry };
  await sent('POST', `/credentials/v1/revoke/${id}`, { credentialStatus });
} else throw new Error('evidence.ts URL record IMAGE | revoke CREDENTIAL');
