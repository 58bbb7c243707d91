// What programs import: the sources, or in a package what `npm pack` made of them.
import { existsSync } from 'node:fs';

const source = new URL('../src/client/cairn.ts', import.meta.url);
const packed = new URL('../dist/src/client/cairn.js', import.meta.url);
const module = await import((existsSync(source) ? source : packed).href);
export const { ApiRefusal, Cairn, context, Failure, LostConnection } = module;
