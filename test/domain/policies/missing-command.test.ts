import { expect, test } from 'vitest';
import { commandsThatAdd } from '../../../src/domain/integrity/policies/facts-table/missing-command.ts';

test('each missing fact has its command, with the real identifier, the outermost first, and nothing that a shell would run', () => {
  const missing = [
    { fact: 'signed_by', kind: 'computation', of: 'urn:cid:run' },
    { fact: 'made_by', kind: 'artefact', of: 'urn:cid:model' },
    { fact: 'signed_by', kind: 'artefact', of: "did:web:it's$(reboot)" },
    { fact: 'comment', kind: 'review', of: 'urn:cid:model' },
  ];
  expect(commandsThatAdd({ missing, doubts: [{ code: 'no_log_proof', fact: 'log' }] })).toEqual([
    'cairn statement DataRegistration data=ID | cairn ingest - --sign KEY',
    'cairn record --output FILE --sign KEY -- COMMAND',
    `curl -sS "$\{CAIRN_URL:-http://127.0.0.1:3050}/statements/v1/id/urn:cid:run" | cairn ingest - --sign KEY`,
    'cairn export --proofs -o FILE',
  ]);
});

test('a member of a JSON object has the command of the whole', () => {
  const doubts = [{ code: 'not_said', fact: 'metrics.mean_error', kind: 'computation', of: 'urn:cid:run' }];
  expect(commandsThatAdd({ missing: [], doubts })).toEqual([
    'cairn record --metrics FILE --output FILE --sign KEY -- COMMAND',
  ]);
});

test('no command adds what was not read', () => {
  const doubts = [{ code: 'cut', fact: 'upstream', of: 'urn:cid:model' }];
  expect(commandsThatAdd({ missing: [], doubts })).toEqual([]);
});
