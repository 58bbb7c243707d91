import { z } from 'zod';
import { graphParameter } from '../values.ts';

const provenanceFormats = ['slsa', 'slsa-dsse', 'prov', 'cyclonedx'] as const;
export type ProvenanceFormat = (typeof provenanceFormats)[number];

export const provenanceQuery = z.object({
  format: z
    .enum(provenanceFormats)
    .default('slsa')
    .describe(
      'slsa: in-toto Statements with SLSA provenance v1, as JSON lines; slsa-dsse: the same in envelopes signed by the service, for runs that their registrants have signed; prov: PROV-JSON; cyclonedx: CycloneDX 1.7',
    ),
  graph_id: graphParameter,
});
