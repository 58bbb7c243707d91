#!/bin/sh
# The command `cairn`: runs the sources, or in a package what `npm pack` made of them, on the Node.js that the package brings,
# otherwise on that of PATH.
folder=$(dirname "$(dirname "$(readlink -f "$0")")")
main=$folder/src/main.ts
[ -f "$main" ] || main=$folder/dist/src/main.js
node=$folder/node_modules/.bin/node
[ -x "$node" ] || node=node
exec "$node" --disable-warning=ExperimentalWarning --disable-sigusr1 "$main" "$@"
