import { z } from 'zod';

export const logName = z.object({
  name: z.string().describe('Such as graphs/<uuid> or agents/<id>'),
  nonce: z.base64().describe('The secret of 32 bytes that blinds the name'),
  blinded_name: z
    .string()
    .describe(
      'What the service log says instead: SHA-256 of "cairn log v1", the nonce and the name, in base64',
    ),
});

export type LogNameAnswer = z.output<typeof logName>;
