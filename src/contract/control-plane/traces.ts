import { z } from 'zod';

const kept = z.object({
  partialSuccess: z
    .object({
      rejectedSpans: z.string().describe('How many spans were not accepted'),
      errorMessage: z.string().describe('Why, for the first ones'),
    })
    .optional(),
});

/** The ExportTraceServiceResponse of OTLP in its JSON form. */
export const tracesAnswer = kept.meta({ id: 'ExportTraceServiceResponse' });

export const tracesRequest = z
  .looseObject({ resourceSpans: z.array(z.looseObject({})).optional() })
  .meta({ id: 'ExportTraceServiceRequest', description: 'As OTLP 1.x says' });
