// What programs import: the sources, or in a package what `npm pack` made of them.
import { existsSync } from 'node:fs';

const source = new URL('../src/cli/record/record.ts', import.meta.url);
const packed = new URL('../dist/src/cli/record/record.js', import.meta.url);
export const { Failure, record } = await import((existsSync(source) ? source : packed).href);
