import type { JsonObject } from '../../../json/is-object.ts';

// What is read of a bill of materials. The official schema has checked it before.

export interface Bom {
  readonly serialNumber?: string;
  readonly version?: number;
  readonly metadata?: {
    readonly timestamp?: string;
    readonly component?: Component;
    readonly tools?: readonly Tool[] | { readonly components?: readonly Tool[] };
  };
  readonly components?: readonly Component[];
  readonly services?: readonly Component[];
  readonly dependencies?: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
  readonly vulnerabilities?: readonly Vulnerability[];
  readonly formulation?: readonly Formula[];
}

interface Tool {
  readonly name?: string;
}

interface Hashed {
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

export interface ExternalReference extends Hashed {
  readonly type?: string;
  readonly url: string;
}

/** A component, or a service, which has fewer members. */
export interface Component extends Hashed {
  readonly 'bom-ref'?: string;
  readonly type?: string;
  readonly group?: string;
  readonly name: string;
  readonly version?: string;
  readonly purl?: string;
  readonly swhid?: readonly string[];
  readonly omniborId?: readonly string[];
  readonly externalReferences?: readonly ExternalReference[];
  readonly components?: readonly Component[];
  readonly services?: readonly Component[];
  readonly pedigree?: { readonly ancestors?: readonly Component[] };
  readonly modelCard?: { readonly modelParameters?: { readonly datasets?: readonly Dataset[] } };
}

/** A data set of a model: described here, or as a component elsewhere. */
export interface Dataset {
  readonly ref?: string;
  readonly 'bom-ref'?: string;
  readonly name?: string;
  readonly contents?: { readonly url?: string };
}

interface Vulnerability extends JsonObject {
  readonly affects?: readonly { readonly ref: string }[];
}

interface Formula {
  readonly components?: readonly Component[];
  readonly services?: readonly Component[];
  readonly workflows?: readonly Work[];
}

interface Resource {
  readonly ref?: string;
  readonly externalReference?: ExternalReference;
}

interface Input {
  readonly resource?: Resource;
  readonly parameters?: readonly JsonObject[];
  readonly environmentVars?: readonly (string | { readonly name?: string; readonly value?: string })[];
}

/** A workflow, or a task, which has no tasks. */
export interface Work {
  readonly uid?: string;
  readonly name?: string;
  readonly description?: string;
  readonly taskTypes?: readonly string[];
  readonly resourceReferences?: readonly Resource[];
  readonly inputs?: readonly Input[];
  readonly outputs?: readonly (Input & { readonly type?: string })[];
  readonly steps?: readonly JsonObject[];
  readonly timeStart?: string;
  readonly timeEnd?: string;
  readonly tasks?: readonly Work[];
  readonly trigger?: JsonObject;
}
