import type { Inventory } from './inventory.ts';

/** What a relationship of SPDX says about the things at its ends, and for a step what was done. */
type Relation =
  /** The first is made of the second. */
  | 'includes'
  /** The second is made of the first. */
  | 'part-of'
  /** The first was made from the second. */
  | readonly ['made-from', string]
  /** The second was made from the first. */
  | readonly ['source-of', string];

/**
 * Relationships of SPDX 2 that lineage follows. All others stay in the file, which is metadata: what is needed to develop or to
 * test a thing is no part of it.
 */
const spdx2: Readonly<Record<string, Relation>> = {
  CONTAINS: 'includes',
  CONTAINED_BY: 'part-of',
  DEPENDS_ON: 'includes',
  DEPENDENCY_OF: 'part-of',
  OPTIONAL_DEPENDENCY_OF: 'part-of',
  PROVIDED_DEPENDENCY_OF: 'part-of',
  RUNTIME_DEPENDENCY_OF: 'part-of',
  DYNAMIC_LINK: 'includes',
  STATIC_LINK: 'includes',
  DATA_FILE_OF: 'part-of',
  OPTIONAL_COMPONENT_OF: 'part-of',
  PACKAGE_OF: 'part-of',
  HAS_PREREQUISITE: 'includes',
  PREREQUISITE_FOR: 'part-of',
  DISTRIBUTION_ARTIFACT: 'part-of',
  EXPANDED_FROM_ARCHIVE: 'part-of',
  GENERATES: ['source-of', 'Build'],
  GENERATED_FROM: ['made-from', 'Build'],
  BUILD_DEPENDENCY_OF: ['source-of', 'Build'],
  BUILD_TOOL_OF: ['source-of', 'Build'],
  ANCESTOR_OF: ['source-of', 'Modification'],
  DESCENDANT_OF: ['made-from', 'Modification'],
  PATCH_APPLIED: ['source-of', 'Modification'],
};

/** Relationships of SPDX 3, from `from` to each of `to`. */
const spdx3: Readonly<Record<string, Relation>> = {
  contains: 'includes',
  dependsOn: 'includes',
  hasDynamicLink: 'includes',
  hasStaticLink: 'includes',
  hasDataFile: 'includes',
  hasOptionalComponent: 'includes',
  hasOptionalDependency: 'includes',
  hasProvidedDependency: 'includes',
  hasPrerequisite: 'includes',
  expandsTo: 'includes',
  hasDistributionArtifact: 'part-of',
  packagedBy: 'part-of',
  generates: ['source-of', 'Build'],
  usesTool: ['made-from', 'Build'],
  ancestorOf: ['source-of', 'Modification'],
  descendantOf: ['made-from', 'Modification'],
  patchedBy: ['made-from', 'Modification'],
  trainedOn: ['made-from', 'Training'],
};

const relations = { spdx2, spdx3 };

/** Adds what a relationship says to an inventory. */
export function relate(
  inventory: Inventory,
  version: keyof typeof relations,
  first: string,
  type: string,
  second: string,
): void {
  const relation = relations[version][type];
  if (relation === 'includes') inventory.includes(first, [second]);
  else if (relation === 'part-of') inventory.includes(second, [first]);
  else if (relation !== undefined) {
    const [direction, done] = relation;
    const [made, from] = direction === 'made-from' ? [first, second] : [second, first];
    inventory.isMadeFrom(made, [from], done);
  }
}
