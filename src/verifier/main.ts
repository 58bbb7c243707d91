import { openPage } from './page.ts';
import { serveStatements } from './statements-thread.ts';
import { statementsThread } from './threads.ts';
import { serveVerification } from './verification.ts';

// One script is the page and its workers, so that the page needs no other file.

if (typeof document === 'object') openPage();
else if (self.name === statementsThread) serveStatements();
else serveVerification();
