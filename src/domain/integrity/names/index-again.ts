import type { UpgradeProgress } from '../../maintenance/upgrades/upgrades.ts';
import { type Cid, cidIn } from '../identifiers/cid.ts';
import type { StatementRow } from '../ports.ts';
import type { ListedStatement } from '../statements/rows.ts';
import { upgradeRows } from '../statements/upgrade-rows.ts';
import { documentLimit } from './name.ts';
import { type NameRecords, namingKind, namingOf } from './name-records.ts';
import { keepNames, type NamingPorts, recordsOf } from './naming.ts';

export interface NamingAgain extends NamingPorts {
  readonly names: NamingPorts['names'] & Pick<NameRecords, 'remove'>;
}

const rowsAtOnce = 200;

/**
 * Indexes the names in all stored statements by the rules of this version.
 * @param position of the page after which it goes on.
 */
export function indexNamesAgain(
  ports: NamingAgain,
  position: string | null,
): AsyncGenerator<UpgradeProgress> {
  const list = { by: 'kind', kind: namingKind } as const;
  const work = async (rows: readonly ListedStatement[]) => {
    const placed = rows.map((row) => ({ row, position: row.position }));
    const records = await recordsOf(ports, placed);
    await keepNames(ports, records, rows);
    for (const id of await nameless(ports, rows, records)) await ports.names.remove(id);
  };
  return upgradeRows(ports.rows, { list, atOnce: rowsAtOnce }, work, position);
}

/**
 * The statements that give no name, although they are about to. Documents that are not there may give one.
 * @param records that they give.
 */
export async function nameless(
  { blobs }: Pick<NamingPorts, 'blobs'>,
  rows: readonly StatementRow[],
  records: readonly { readonly id: string }[],
): Promise<string[]> {
  const named = new Set(records.map(({ id }) => id));
  const lacking = rows.filter((row) => row.kind === namingKind && !named.has(row.jcsCid.text));
  const documents = lacking.map((row) => cidIn(namingOf(row)?.document ?? ''));
  const cids = documents.filter((cid) => cid !== undefined);
  const found = cids.length > 0 ? await blobs.readSmall(cids, documentLimit) : [];
  const away = new Set(cids.filter((_, at) => found[at] === undefined));
  return lacking.flatMap(({ jcsCid }, at) => (away.has(documents[at] as Cid) ? [] : jcsCid.text));
}
