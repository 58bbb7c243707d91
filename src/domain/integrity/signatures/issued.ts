import { everythingVisible } from '../../access/visibility.ts';
import { jcs } from '../identification/jcs.ts';
import { parseCid } from '../identifiers/cid.ts';
import type { StatementStore } from '../ports.ts';
import type { Signatures } from './signatures.ts';

/** The JCS text of a credential that this service has issued for a statement; undefined for any other id. */
export async function issuedCredential(
  signatures: Pick<Signatures, 'among'>,
  statements: Pick<StatementStore, 'byJcsCid'>,
  credentialId: string,
): Promise<string | undefined> {
  const [[issued] = []] = await signatures.among('byIssued', [credentialId], 1);
  const row = issued && (await statements.byJcsCid(parseCid(issued.carrier), everythingVisible));
  return row && jcs(JSON.parse(Buffer.from(row.jcs).toString()).credential);
}
