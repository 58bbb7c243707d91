/**
 * For `z.string().regex`: a text without control characters. The pattern has no flag and no class that engines other than
 * this one's read otherwise.
 */
export const withoutControls = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it refuses
  /^[^\x00-\x1f\x7f-\x9f]*$/,
  'must not have control characters',
] as const;
