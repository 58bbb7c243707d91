#!/usr/bin/env node
import { beginWithLittleMemory } from './platform/process-memory.ts';

/** Commands that have a store open, and so much in memory that it counts. */
const withStore = ['serve', 'fsck', 'migrate'];

if (withStore.includes(process.argv[2] ?? '')) beginWithLittleMemory(process.env);
// Loaded by the process that stays.
const { run } = await import('./cli/program.ts');
const { processIo } = await import('./cli/terminal/process-io.ts');
process.exitCode = await run(process.argv, processIo());
