import { z } from '@hono/zod-openapi';
import { uuidIn } from '../../domain/integrity/identifiers/identifiers.ts';

/** The UUID of a project, read into lower case. */
export const projectUuid = z
  .string()
  .refine((text) => uuidIn(text) !== undefined, 'must be a UUID, bare or after urn:uuid:')
  .transform((text) => uuidIn(text) ?? text)
  .openapi({
    type: 'string',
    description: 'A UUID, bare or after urn:uuid:',
    example: '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4',
  });
