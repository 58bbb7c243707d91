import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { anyCharacter } from '../builders/any-text.ts';
import { runs } from '../property-runs.ts';
import { send, useService } from './service.ts';

const service = useService();

const words = [
  '@context @id @type @value @list @set @graph @included @index @language @direction @reverse @nest @json @version',
  '@vocab @base @import @propagate @protected @container @prefix __proto__ constructor toString _:b0',
  'data registeredBy timestamp subject credential type id DataRegistration ComputationRegistration',
  'urn:cid:bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu https://www.w3.org/ns/credentials/v2',
].flatMap((line) => line.split(' '));
const text = fc.oneof(fc.constantFrom(...words), fc.string({ unit: anyCharacter, maxLength: 12 }));
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(text, tie('json'), { maxKeys: 5 }),
  ),
}));
const context = fc.oneof(fc.constantFrom(ownContextUrl, 'https://www.w3.org/ns/credentials/v2'), json);
const statement = fc
  .tuple(context, fc.dictionary(text, json, { maxKeys: 5 }))
  .map(([meaning, members]) => ({ '@context': meaning, ...members }));

const cid = 'baga6yaq6ecueyan57r77pbt76jdaphngc6iciiwshk5d4ew3cwpoilnvh72d4';
const project = '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4';
const submission = { submittedAt: '2026-03-01T07:30:00Z', submittedBy: 'did:example:ada' };
const expiry = { expiryDate: '2999-12-31' };
/** Bodies of governance that are accepted, or would be for a known subject and policy. */
const governance = {
  'cid/subject': { id: 'a', name: null, extra: {} },
  'cid/policy': { policy: {}, controls: [{}] },
  [`controls/declaration/${cid}/${project}`]: { ...submission, controlCid: [cid], extra: {} },
  [`controls/review/${cid}/${project}`]: { ...submission, declarationCid: cid, decision: 'approved' },
  [`identity/membership/${project}`]: { ...expiry, subjectDid: 'did:example:ada', role: ['a'] },
  [`policy/compliance/${project}`]: { ...expiry, policyCid: cid, subjectCid: cid },
};
const governanceCall = fc.constantFrom(...Object.entries(governance)).chain(([path, body]) =>
  fc.record({
    call: fc.constant(`POST /gov/v1/${path}`),
    body: fc
      .dictionary(fc.constantFrom(...Object.keys(body), '__proto__'), json, { maxKeys: 2 })
      .map((changes) => ({ ...body, ...changes })),
  }),
);

const calls = fc.oneof(
  fc.record({
    call: fc.constant('PUT /statements/v1'),
    body: statement.map((one) => ({ statement: one, generate_id: true })),
  }),
  fc.record({
    call: fc.constant('POST /utils/v1/integrity/statement/compute-id'),
    body: statement.map((one) => ({ statement: one })),
  }),
  fc.record({
    call: fc.constantFrom('POST /utils/v1/json-ld/rdfc_cid', 'POST /utils/v1/json-ld/to-nquads'),
    body: statement,
  }),
  fc.record({
    call: fc.constantFrom(
      'PUT /graph/v1',
      'PUT /dynamic-config/v1',
      'PUT /store/v1/jcs',
      'PUT /statements/v1/batch',
    ),
    body: json,
  }),
  governanceCall,
  fc.record({
    call: fc
      .tuple(
        fc.constantFrom(
          '/store/v1/blob/',
          '/store/v1/text/',
          '/statements/v1/id/',
          '/graph/v1/',
          '/graph/v1?cursor=',
        ),
        text,
      )
      .map(([path, end]) => `GET ${path}${encodeURIComponent(end.toWellFormed())}`),
    body: fc.constant(undefined),
  }),
);

test('random requests are refused with a sentence, and never cause an internal error', async () => {
  await fc.assert(
    fc.asyncProperty(calls, async ({ call, body }) => {
      const [method = '', path = ''] = call.split(' ');
      const answer = await send(service, method, path, body);
      expect(answer.status).toBeLessThan(500);
      if (answer.status >= 400) {
        expect(answer.json).toMatchObject({
          error: expect.any(String),
          code: expect.any(String),
          request_id: expect.any(String),
        });
        expect(answer.json.code).not.toBe('internal');
      }
    }),
    { numRuns: runs(500) },
  );
});
