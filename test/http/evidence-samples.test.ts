import { expect, test } from 'vitest';
import { describeTestData, listTestData, readTestBytes } from '../test-data.ts';
import { postEvidence } from './evidence-samples.ts';
import { newGraph } from './manifest-samples.ts';
import { send, useService } from './service.ts';

const slsa = 'interop/evidence/slsa/cli/slsa-verifier/testdata';
const github = 'interop/evidence/github-attestations/pkg/cmd/attestation/test/data';

describeTestData('files of slsa-verifier and of the GitHub CLI', () => {
  const service = useService();

  async function runsOf(path: string) {
    const graph = await newGraph(service);
    const answer = await postEvidence(service, readTestBytes(path), `?graph_id=${graph}`);
    const { runs } = (await send(service, 'GET', `/runs/v1?graph_id=${graph}`)).json;
    return { ...answer, runs };
  }

  const envelopes = ['gha_go', 'gha_generic'].flatMap((builder) =>
    listTestData(slsa, builder).flatMap((version) =>
      listTestData(slsa, builder, version).map((file) => `${slsa}/${builder}/${version}/${file}`),
    ),
  );

  test.each([...envelopes, `${slsa}/binary-linux-amd64-no-tlog-upload.intoto.jsonl`])(
    'the envelope %s is a run, and its signature is unknown',
    async (path) => {
      const { status, json, runs } = await runsOf(path);
      expect([status, json.kind], JSON.stringify(json)).toEqual([201, 'dsse']);
      expect(runs).toMatchObject([
        {
          trust: { state: 'claimed' },
          inputs: expect.arrayContaining([
            { id: expect.any(String), name: expect.stringMatching(/^github\.com\//) },
          ]),
          output_count: 1,
        },
      ]);
      expect(json.signatures).toMatchObject([{ result: 'unknown', signer: null }]);
    },
  );

  test.each([
    [`${slsa}/gha_container-based/v1.7.0/gha_container-based-binary-linux-amd64-v14.intoto.sigstore`, 2],
    [`${github}/reusable-workflow-attestation.sigstore.json`, 1],
    [`${github}/sigstore-js-2.1.0-bundle-v0.1.json`, 1],
  ])('the bundle %s is a run', async (path, inputs) => {
    const { status, json, runs } = await runsOf(path);
    expect([status, json.kind], JSON.stringify(json)).toEqual([201, 'sigstore-bundle']);
    expect(runs).toMatchObject([{ trust: { state: 'claimed' }, input_count: inputs, output_count: 1 }]);
    expect(json.signatures).toMatchObject([{ result: 'unknown', signer: null }]);
  });

  test('JSON lines with two bundles of one build are two pieces of evidence for one run', async () => {
    const { status, json, runs } = await runsOf(`${github}/sigstore-js-2.1.0_with_2_bundles.jsonl`);
    expect([status, json.results.length], JSON.stringify(json)).toEqual([201, 2]);
    expect(runs.length).toBe(1);
  });

  test.each([
    ['gundam-visor-cli-v1-tag-invalidsigprov.tgz.json', 'gundam-visor@1.0.1'],
    ['supreme-googles-cli-v02-tag-invalidsigprov.tgz.json', '@trishankatdatadog/supreme-goggles@1.0.5'],
  ])('%s of npm is a run and the publication of its package', async (file, name) => {
    const { status, json, runs } = await runsOf(`${slsa}/npm/gha/${file}`);
    expect([status, json.kind], JSON.stringify(json)).toEqual([201, 'attestations']);
    expect(runs).toMatchObject([{ outputs: [{ name }] }]);
    expect(json.signatures.map(({ result }: { result: string }) => result)).toEqual(['unknown', 'unknown']);
  });

  test.each([
    'v0.2/gcloud-container-empty-signature-region',
    'v0.2/gcloud-container-multiple-signatures-3rdvalid',
    'v0.3/gcloud-container-gcs',
  ])('%s of Google Cloud Build is a run', async (file) => {
    const { status, json, runs } = await runsOf(`${slsa}/gcb_container/${file}.json`);
    expect([status, json.kind], JSON.stringify(json)).toEqual([201, 'gcloud-provenance']);
    expect(runs).toMatchObject([{ started: expect.any(String), duration: expect.any(Number) }]);
    expect(json.signatures).toMatchObject([{ result: 'unknown' }]);
  });

  test.each([
    [
      `${slsa}/gcb_container/v0.2/gcloud-container-mismatch-metadata-kind.json`,
      '/provenance_summary/provenance/0/kind',
    ],
    [
      `${slsa}/gcb_container/v0.3/gcloud-container-mismatch-metadata-kind.json`,
      '/provenance_summary/provenance/0/kind',
    ],
    [
      `${github}/github_provenance_demo-0.0.12-py3-none-any-bundle-missing-verification-material.jsonl`,
      '/verificationMaterial',
    ],
  ])('%s is refused', async (path, pointer) => {
    const { status, json } = await postEvidence(service, readTestBytes(path));
    expect([status, json.details?.[0]?.pointer], JSON.stringify(json)).toEqual([400, pointer]);
  });

  test('a trusted root and a wheel are no evidence', async () => {
    for (const file of ['trusted_root.json', 'github_provenance_demo-0.0.12-py3-none-any.whl']) {
      const { status } = await postEvidence(service, readTestBytes(github, file));
      expect(status).toBe(400);
    }
  });
});
