import { z } from 'zod';
import { uuidField } from '../values.ts';

const tile = z.string().max(100).meta({
  pattern: '^(entries|0|[1-9][0-9]?)/(x[0-9]{3}/)*[0-9]{3}(\\.p/[1-9][0-9]{0,2})?$',
  description:
    'Level (or "entries"), index, and for a partial tile its width, as in c2sp.org/tlog-tiles. The slashes stand in the path.',
  example: '0/x001/x234/067.p/12',
});

export const logTileParams = z.object({ tile });
export const graphLogParams = z.object({ uuid: uuidField });
export const graphLogTileParams = graphLogParams.extend({ tile });
