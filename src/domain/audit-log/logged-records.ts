import { loggedKind } from '../log/appending/logged-kind.ts';
import { recordEntry } from '../log/entries.ts';
import { logNames } from '../log/names.ts';
import { auditRecords } from './audit-log.ts';

/** An operation has an entry for its outcome, and one for its start if that was recorded before. See docs/log.md. */
export const loggedAuditRecords = loggedKind(auditRecords, {
  entries: ({ id, at, actor, action, target, outcome, code, requestId, address, details }) => {
    const form = {
      record: 'audit_record',
      ...{ id, at, actor, action, target, outcome, code, request_id: requestId, address, details },
    };
    return [{ log: logNames.audit, bytes: recordEntry(form), edition: outcome }];
  },
  changing: ['outcome'],
});
