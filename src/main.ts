#!/usr/bin/env -S node --disable-warning=ExperimentalWarning --disable-sigusr1
import { run } from './cli/program.ts';
import { processIo } from './cli/terminal/process-io.ts';

process.exitCode = await run(process.argv, processIo());
