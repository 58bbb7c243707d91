import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

// Preloaded with --import: appends the URL of every module that is loaded to the file of REPORT_MODULES.

const file = process.env.REPORT_MODULES ?? '';

registerHooks({
  load(url, context, next) {
    appendFileSync(file, `${url}\n`);
    return next(url, context);
  },
});
