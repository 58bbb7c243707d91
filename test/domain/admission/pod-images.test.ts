import { expect, test } from 'vitest';
import { digestOf, imagesOf, isBelow } from '../../../src/domain/admission/pod-images.ts';

const digest = `sha256:${'ab'.repeat(32)}`;
const spec = {
  containers: [{ name: 'app', image: 'app:1' }, { name: 'again', image: 'app:1' }, { name: 'none' }],
  initContainers: [{ name: 'init', image: 'init:1' }],
  ephemeralContainers: [{ name: 'debug', image: 'debug:1' }],
  volumes: [
    { name: 'weights', image: { reference: 'weights:1' } },
    { name: 'tmp', emptyDir: {} },
  ],
};
const images = ['app:1', 'init:1', 'debug:1', 'weights:1'];

test.each([
  ['a pod', { kind: 'Pod', spec }],
  ['a workload', { kind: 'Deployment', spec: { replicas: 1, template: { spec } } }],
  ['a cron job', { kind: 'CronJob', spec: { jobTemplate: { spec: { template: { spec } } } } }],
  ['a pod template', { kind: 'PodTemplate', template: { spec } }],
])('%s names the images of all its containers and image volumes, each once', (_, object) => {
  expect(imagesOf(object)).toEqual(images);
});

test.each([
  ['an object without pods', { kind: 'ConfigMap', data: { a: 'b' } }],
  [
    'a template without containers',
    { kind: 'Deployment', spec: { template: { spec: { containers: null } } } },
  ],
  ['nothing', null],
])('%s names none', (_, object) => {
  expect(imagesOf(object)).toEqual([]);
});

test('containers of an unknown form are an error, so that nothing slips through', () => {
  expect(() => imagesOf({ spec: { containers: { app: { image: 'app:1' } } } })).toThrow();
});

test.each([
  [`app@${digest}`, digest],
  [`registry.example:5000/team/app:1.2@${digest}`, digest],
  ['app:1.2', undefined],
  [`app@sha512:${'ab'.repeat(64)}`, undefined],
  [`app@${digest}@${digest}`, undefined],
  [`app@${digest.toUpperCase()}`, undefined],
])('the digest of %s is %s', (image, expected) => {
  expect(digestOf(image)).toBe(expected);
});

test.each([
  ['registry.k8s.io/pause:3', ['registry.k8s.io/'], true],
  ['registry.k8s.io/pause:3', ['registry.k8s.io'], true],
  ['registry.k8s.io/pause:3', ['registry.k8s.io/pause'], true],
  ['registry.k8s.io.evil.example/pause:3', ['registry.k8s.io'], false],
  ['registry.k8s.io/pause-more:3', ['registry.k8s.io/pause'], false],
  ['evil.example/registry.k8s.io/pause:3', ['registry.k8s.io/'], false],
  ['registry.k8s.io:5000/pause:3', ['registry.k8s.io'], false],
  [`busybox:5000/app@${digest}`, ['busybox'], false],
  [`busybox:1.36@${digest}`, ['busybox'], true],
  ['registry.example:5000/app:1', ['registry.example:5000'], true],
])('%s below %s: %s', (image, prefixes, expected) => {
  expect(isBelow(image, prefixes)).toBe(expected);
});
