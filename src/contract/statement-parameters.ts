import { z } from 'zod';

export const statementParams = z.object({
  id: z.string().max(300).describe('The statement id, with or without urn:cid:'),
});

export const formQuery = z.object({
  jcs_cid: z
    .string()
    .max(300)
    .optional()
    .describe(
      'Which JSON form to read, if the id has several. Default: the oldest that the id covers in the own context or a bundled one, otherwise the oldest of the projects of the caller',
    ),
});
