import { constants, getPriority, platform, setPriority } from 'node:os';

/** How much less urgent a thread is than those that answer and write, so that large bodies delay them less. */
const niceness = 5;

/** Makes the calling thread less urgent. */
export function lowerPriority(): void {
  // Elsewhere this would change the whole process.
  if (platform() === 'linux')
    setPriority(Math.min(getPriority() + niceness, constants.priority.PRIORITY_LOW));
}
