import { createPrivateKey, createPublicKey, generateKeyPairSync, type webcrypto } from 'node:crypto';
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../domain/errors.ts';
import { isKeyName } from '../domain/log/notes/signed-note.ts';
import { type NoteSigner, noteSigner } from '../domain/log/notes/signing.ts';
import { type KeyType, keyTypes, vkeyOf } from '../domain/log/notes/vkey.ts';
import { quoted } from '../domain/log/proof-error.ts';
import type { Witnessed, WitnessedLogs } from '../domain/log/witnessing/witness.ts';

export interface WitnessFolder extends Disposable {
  readonly memory: WitnessedLogs;
  readonly signers: readonly NoteSigner[];
}

export interface WitnessFolderOptions {
  /** Needed at the first start, and the same later. */
  readonly name?: string | undefined;
  /** Receives a sentence if others can read the keys. */
  readonly onWarning: (sentence: string) => void;
}

/** How long a process waits while another one writes. */
const busyMs = 10_000;
/** ML-DSA-44 cosignatures contain the name with one byte for its length. */
const mostNameBytes = 255;

/**
 * Opens the folder of a witness, for any number of processes. Keys and memory are one file: a key without its memory would
 * cosign a second history of a log.
 * @throws ServiceError `unavailable`, which says what to do.
 */
export function openWitnessFolder(folder: string, { name, onWarning }: WitnessFolderOptions): WitnessFolder {
  const file = join(folder, 'witness.db');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
  if ((statSync(file).mode & 0o077) !== 0)
    onWarning(`Others can read the keys of the witness in ${file}. Run: chmod 600 ${file}`);
  const database = new DatabaseSync(file, { timeout: busyMs });
  try {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE IF NOT EXISTS keys (type INTEGER PRIMARY KEY, name TEXT NOT NULL, jwk TEXT NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS witnessed (
        origin TEXT PRIMARY KEY, size INTEGER NOT NULL, root BLOB NOT NULL, at INTEGER NOT NULL, note TEXT NOT NULL
      ) STRICT`);
    const signers = signersOf(database, folder, name);
    return { memory: memoryOf(database), signers, [Symbol.dispose]: () => database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}

function signersOf(database: DatabaseSync, folder: string, name: string | undefined): NoteSigner[] {
  const read = database.prepare('SELECT type, name, jwk FROM keys ORDER BY type');
  if (read.all().length === 0) {
    if (name === undefined)
      throw new ServiceError(
        'unavailable',
        `The folder ${folder} has no witness yet. Give the new one a name with --name, such as witness.example/w1.`,
      );
    if (!isKeyName(name) || Buffer.byteLength(name) > mostNameBytes)
      throw new ServiceError(
        'unavailable',
        `${quoted(name)} cannot be the name of a witness. Use up to ${mostNameBytes} bytes without spaces and "+", such as witness.example/w1.`,
      );
    insertKeys(database, name);
  }
  const rows = read.all() as { type: KeyType; name: string; jwk: string }[];
  const other = rows.find((row) => name !== undefined && row.name !== name);
  if (other)
    throw new ServiceError(
      'unavailable',
      `The witness of ${folder} is called ${other.name}, not ${name}. Leave out --name, or choose another folder.`,
    );
  return rows.map((row) => {
    const key = createPrivateKey({ key: JSON.parse(row.jwk), format: 'jwk' });
    return noteSigner(vkeyOf(row.name, row.type, createPublicKey(key)), key);
  });
}

/** Two processes that start at once agree on the keys of one of them. */
function insertKeys(database: DatabaseSync, name: string): void {
  const keys: [KeyType, webcrypto.JsonWebKey][] = [
    [keyTypes.ed25519Cosigner, generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })],
    [keyTypes.mlDsa44Cosigner, generateKeyPairSync('ml-dsa-44').privateKey.export({ format: 'jwk' })],
  ];
  const insert = database.prepare('INSERT INTO keys VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  database.exec('BEGIN IMMEDIATE');
  for (const [type, jwk] of keys) insert.run(type, name, JSON.stringify(jwk));
  database.exec('COMMIT');
}

function memoryOf(database: DatabaseSync): WitnessedLogs {
  const read = database.prepare('SELECT size, root, at, note FROM witnessed WHERE origin = ?');
  const insert = database.prepare('INSERT INTO witnessed VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING');
  const update = database.prepare(
    'UPDATE witnessed SET size = ?, root = ?, at = ?, note = ? WHERE origin = ? AND size = ? AND root = ? AND at = ?',
  );
  return {
    latest: (origin) => read.get(origin) as Witnessed | undefined,
    replace(origin, expected, { size, root, at, note }) {
      const { changes } = expected
        ? update.run(size, root, at, note, origin, expected.size, expected.root, expected.at)
        : insert.run(origin, size, root, at, note);
      return changes === 1;
    },
  };
}
