import { type Row, report } from './measure.ts';
import { besideImmudb } from './peers/immudb.ts';
import { besideNginx } from './peers/nginx.ts';

// Other servers and Cairn in turn. Go programs are built in the cache folder of the user. A server that cannot be built or
// started is skipped.

const peers: Readonly<Record<string, () => Promise<Row[]>>> = { immudb: besideImmudb, nginx: besideNginx };
console.error('archivista: skipped. The Go module proxy refused github.com/in-toto/archivista with 403.');
const rows: Row[] = [];
for (const [name, compare] of Object.entries(peers))
  try {
    rows.push(...(await compare()));
  } catch (error) {
    console.error(`${name}: skipped. ${(error as Error).message}`);
  }
report('Beside other servers', rows);
