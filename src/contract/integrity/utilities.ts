import { z } from 'zod';
import { booleanParameter } from '../parameters.ts';
import { cidText, jsonObject } from '../values.ts';

export const jsonLdDocument = z.union([jsonObject, z.array(jsonObject)]);

export const nquadsQuery = z.object({
  canonical: booleanParameter.optional().describe('Whether to canonicalize with RDFC-1.0. Default: true'),
});

export const computedRdfcCid = z.object({ rdfc_cid: cidText });

export const contextDocuments = z.record(z.string(), jsonObject);
