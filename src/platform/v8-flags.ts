import { setFlagsFromString } from 'node:v8';

// Otherwise V8 collects the whole heap after each few MiB of buffers, as an upload needs them (nodejs/node#61967). Set before
// other modules are loaded: compiled sources count only under the flags with which they were compiled.
setFlagsFromString('--external-memory-accounted-in-global-limit');
