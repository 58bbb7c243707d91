import { parseCid } from '../../src/domain/integrity/identifiers/cid.ts';
import { CoveredLogs } from '../../src/domain/integrity/manifest/covered-logs.ts';
import type { Identifier } from '../../src/domain/integrity/ports.ts';
import { noteEntry, statementEntry } from '../../src/domain/log/entries.ts';
import { manifest } from './manifests.ts';
import { type PublishingOptions, publishedLog } from './published-log.ts';
import type { Json } from './statements.ts';

export interface Named {
  readonly id: string;
  readonly statement: Json;
  readonly rdfcCid: string;
  readonly jcsCid: string;
}

/** Statements with their ids. */
export async function named(identifier: Identifier, statements: readonly Json[]): Promise<Named[]> {
  const found: Named[] = [];
  for (const statement of statements) {
    const bytes = Buffer.from(JSON.stringify(statement));
    const options = { generateId: true, strict: true, reportCoverage: false };
    const { rows } = await identifier.identify(bytes, [0, bytes.length], options);
    for (const { rdfcCid, jcsCid, jcs } of rows)
      found.push({
        id: `urn:cid:${rdfcCid.text}`,
        statement: JSON.parse(Buffer.from(jcs).toString()),
        rdfcCid: rdfcCid.text,
        jcsCid: jcsCid.text,
      });
  }
  return found;
}

/** A manifest that has all statements of a log, whose first entry is a note. */
export async function completeManifest(statements: readonly Named[], options: PublishingOptions = {}) {
  const rows = statements.map(({ rdfcCid, jcsCid }) => ({
    rdfcCid: parseCid(rdfcCid),
    jcsCid: parseCid(jcsCid),
  }));
  const note = noteEntry('made from an older store', new Date(0));
  const entries = rows.map(({ rdfcCid, jcsCid }) =>
    statementEntry({ rdfcDigest: rdfcCid.digest, jcsDigest: jcsCid.digest }),
  );
  const log = await publishedLog([note, ...entries], options);
  const covered = await CoveredLogs.open(
    {
      async *heads() {
        yield log.published;
      },
    },
    [log.published.log],
  );
  for (const row of rows) covered.note(row, 'under_id');
  await covered.complete();
  const anchors = [...covered.anchors()].map((text) => JSON.parse(text));
  const byId = Object.fromEntries(statements.map(({ id, statement }) => [id, statement]));
  return { ...log, manifest: { ...manifest({ statements: byId, anchors }), complete: true } };
}
