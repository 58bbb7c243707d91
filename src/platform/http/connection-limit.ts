const reserved = 64;
const enough = 10_000;

/**
 * How many connections the file descriptors of this process allow, besides the files of its store. An upload needs one
 * descriptor for its connection and one for its file.
 */
export function connectionLimit(): number {
  const descriptors = descriptorLimit();
  return Math.min(Math.max(Math.floor((descriptors - reserved) / 2), 1), enough);
}

function descriptorLimit(): number {
  const report = process.report.getReport() as unknown as {
    readonly userLimits?: { readonly open_files?: { readonly soft: number | 'unlimited' } };
  };
  const soft = report.userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}
