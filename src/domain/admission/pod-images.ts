import { z } from 'zod';
import { isObject } from '../json/is-object.ts';

const container = z.object({ image: z.string().optional() });
const containers = z.array(container).nullish();

/** The parts of a PodSpec (core/v1) that name images. Image volumes bring files, such as the weights of a model. */
const podSpec = z.object({
  containers,
  initContainers: containers,
  ephemeralContainers: containers,
  volumes: z.array(z.object({ image: z.object({ reference: z.string().optional() }).nullish() })).nullish(),
});

/** Where objects keep the specification of their pods: pods themselves, workloads, cron jobs and pod templates. */
const places: readonly (readonly string[])[] = [
  ['spec'],
  ['spec', 'template', 'spec'],
  ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
  ['template', 'spec'],
];

/**
 * The images that the pods of an object name, each once. Objects without pods have none.
 * @throws z.ZodError if a specification of pods has another form.
 */
export function imagesOf(object: unknown): string[] {
  const found = places.flatMap((path) => {
    const spec = path.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), object);
    return isObject(spec) ? imagesOfSpec(spec) : [];
  });
  return [...new Set(found)];
}

function imagesOfSpec(spec: object): string[] {
  const { containers: main, initContainers, ephemeralContainers, volumes } = podSpec.parse(spec);
  const all = [main, initContainers, ephemeralContainers].flatMap((list) => list ?? []);
  const named = [...all.map(({ image }) => image), ...(volumes ?? []).map(({ image }) => image?.reference)];
  return named.filter((image) => image !== undefined && image !== '') as string[];
}

/** The digest in `name@sha256:…`. Undefined if there is none of this form. */
export function digestOf(image: string): string | undefined {
  return /^[^@\s]+@(sha256:[0-9a-f]{64})$/.exec(image)?.[1];
}

/**
 * Whether an image is one of these repositories, or below one of these registries or folders of repositories. A registry at another
 * port is another registry.
 */
export function isBelow(image: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => {
    const rest = image.startsWith(prefix) ? image.slice(prefix.length) : undefined;
    return rest !== undefined && (prefix.endsWith('/') || /^(?:$|[/@]|:[^/]*(?:$|@))/.test(rest));
  });
}
