import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { PackedRows, unpackSlice } from '../../src/domain/integrity/statements/packed-rows.ts';
import { describedDocument, describedRow } from '../../src/storage/mongo/statements/statement-documents.ts';
import { openEmbedded } from '../../src/storage/open.ts';
import { samples } from '../builders/rows.ts';
import { temporaryFolder } from './temporary-folder.ts';

// What is stored must stay readable, so these values never change.

const context = 'baga6yaq6ebnoc2fflmlr2rqqf244yx5udzcv2qhtwoklrrsz5ohdqynk6odno';
const jcsDigest = '16F31CC0D0EF033930841879E4CC7C6DDD4D8AE16D46FA038D8380B32C87DD93';
const rdfcDigest = '15D61C69CBE868BCDE776D350A56102FD8128D40415A8FEFA508A53E9B8BF6D9';

test('an embedded store has the published columns and index entries of a row', async () => {
  const path = await temporaryFolder();
  {
    await using store = await openEmbedded(path);
    await store.statements.putMany(samples, null);
  }
  using database = new DatabaseSync(join(path, 'cairn.db'));
  const read = (sql: string) => database.prepare(sql).all();
  expect(
    read(
      `SELECT hex(jcs_digest) AS jcs_digest, hex(rdfc_digest) AS rdfc_digest, kind.term AS kind, time,
       context.term AS context, refs, CAST(jcs AS TEXT) AS jcs
       FROM verified_rows JOIN terms AS kind ON kind.id = kind JOIN terms AS context ON context.id = context_set`,
    ),
  ).toEqual([
    {
      jcs_digest: jcsDigest,
      rdfc_digest: rdfcDigest,
      kind: 'DataRegistration',
      time: 1_769_860_800_000,
      context,
      refs: '[5,35,"schema:about",10,29,"did:x:\\""]',
      jcs: '{"about":"did:web:example","data":"urn:cid:bafkr4ia"}',
    },
  ]);
  expect(read('SELECT target, place FROM verified_entries ORDER BY place')).toEqual([
    { target: 24_009_343_880_168, place: -2 },
    { target: 25_233_415_262_447, place: -1 },
    { target: 70_679_327_592_127, place: 0 },
    { target: 117_240_252_149_671, place: 5 },
    { target: 47_567_148_328_651, place: 29 },
  ]);
  expect(read('SELECT time, refs, CAST(jcs AS TEXT) AS jcs FROM unverified_rows')).toEqual([
    { time: null, refs: '[]', jcs: '{}' },
  ]);
});

test('a document of MongoDB has the published members of a row', () => {
  const rows = PackedRows.of(samples).slices.flatMap((slice) => [...unpackSlice(slice)]);
  const documents = rows.map((row) => describedDocument(describedRow(row)));
  expect(documents.map(({ rdfc: _, ...others }) => others)).toEqual([
    {
      kind: 'DataRegistration',
      contextSet: context,
      time: 1_769_860_800_000,
      references: ['urn:cid:bafkr4ia\t5', 'did:web:example\t0', 'did:x:"\t29'],
      roles: ['schema:about'],
      roleNumbers: [0],
    },
    { kind: 'https://example.org/Other', contextSet: context, time: null, references: [] },
  ]);
});
