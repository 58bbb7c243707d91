#!/usr/bin/env bash
# Installs the chart on the cluster of KUBECONFIG and disturbs it while a client writes. README.md says what it needs.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${MONGODB_URL:?address of MongoDB as pods see it}" "${REDIS_URL:?address of Redis as pods see it}"
repository=${IMAGE_REPOSITORY:-localhost/cairn}
tag=${IMAGE_TAG:-test}
next_tag=${NEXT_IMAGE_TAG:-$tag}
node_port=${NODE_PORT:-30050}
namespace=cairn-test
data=cairn-cluster-$$ # The database, and the prefix in Redis.
url=http://127.0.0.1:$node_port
work=$(mktemp -d)
acknowledged=$work/acknowledged.txt
k() { kubectl --namespace "$namespace" "$@"; }
say() { printf '\n%s  %s\n' "$(date +%T)" "$*"; }
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
pinned=$(npx --no-install node --print process.execPath)
node() { "$pinned" --disable-warning=ExperimentalWarning "$@"; }
write() { LOAD_CLIENTS=${1:-} exec "$pinned" --disable-warning=ExperimentalWarning test/cluster/load.ts write "$url" "$acknowledged"; }
port_of() { sed -E 's#.*:([0-9]+)(/.*)?$#\1#' <<<"$1"; }

load=
remove_data() {
  k apply -f - >/dev/null <<Y
apiVersion: v1
kind: Pod
metadata: { name: remove-data }
spec:
  restartPolicy: Never
  securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: RuntimeDefault } }
  containers:
    - name: remove-data
      image: $repository:$tag
      imagePullPolicy: IfNotPresent
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: [ALL] } }
      envFrom: [{ secretRef: { name: cairn-connections } }]
      command: [node, --input-type=module, --eval]
      args:
        - |
          import { Redis } from 'ioredis';
          import { MongoClient } from 'mongodb';
          const mongo = await MongoClient.connect(process.env.mongodbURL);
          await mongo.db('$data').dropDatabase();
          await mongo.close();
          const redis = new Redis(process.env.redisURL);
          for await (const keys of redis.scanStream({ match: '$data*', count: 1000 })) if (keys.length > 0) await redis.unlink(keys);
          await redis.quit();
Y
  k wait --for=jsonpath='{.status.phase}'=Succeeded pod/remove-data --timeout=2m >/dev/null ||
    { k logs remove-data; echo "The database $data and the keys $data* of Redis are left."; }
}
cleanup() {
  [ -z "$load" ] || kill "$load" 2>/dev/null || true
  [ -n "${KEEP:-}" ] || {
    helm uninstall cairn -n "$namespace" --wait >/dev/null 2>&1 || true
    remove_data
    kubectl delete namespace "$namespace" --wait=false >/dev/null 2>&1
  }
  rm -rf "$work"
}
trap cleanup EXIT

values=(-f k8s/examples/minimal.yaml --set "image.repository=$repository,publicURL=$url,connections.mongodbDatabase=$data,connections.redisPrefix=$data"
  --set "networkPolicy.mongodbPorts={$(port_of "$MONGODB_URL")},networkPolicy.redisPorts={$(port_of "$REDIS_URL")}"
  --set "integrity.resources.requests.cpu=${CPU_REQUEST:-200m},controlPlane.replicas=1,controlPlane.resources.requests.cpu=50m,jobs.resources.requests.cpu=50m")
release() { helm "$1" cairn k8s -n "$namespace" --wait --timeout 10m "${values[@]}" "${@:2}" >"$work/helm.log" || { cat "$work/helm.log"; return 1; }; }
ready_pods() { k get deployment cairn-integrity -o jsonpath='{.status.readyReplicas}'; }

say "Install in a namespace that enforces Pod Security \"restricted\""
kubectl create namespace "$namespace" >/dev/null
kubectl label namespace "$namespace" pod-security.kubernetes.io/enforce=restricted >/dev/null
k run privileged --image="$repository:$tag" --privileged --dry-run=server >/dev/null 2>&1 && fail "a privileged pod is admitted"
node src/main.ts key create "$work/signing-key.json" >/dev/null
k create secret generic cairn-signing-key --from-file="$work/signing-key.json" >/dev/null
k create secret generic cairn-connections --from-literal=mongodbURL="$MONGODB_URL" --from-literal=redisURL="$REDIS_URL" >/dev/null
release install --set "image.tag=$tag"
k get pods
helm test cairn -n "$namespace" --logs | tail -8
k create service nodeport load --tcp=3050:3050 --node-port="$node_port" --dry-run=client -o yaml |
  kubectl set selector --local -f - app.kubernetes.io/instance=cairn,app.kubernetes.io/component=integrity -o yaml | k create -f - >/dev/null

say "Write while everything below happens"
write "${LOAD_CLIENTS:-8}" >"$work/write.json" 2>"$work/write.log" &
load=$!
acknowledged_now() { wc -l <"$acknowledged"; }
until [ -s "$acknowledged" ]; do kill -0 "$load" || fail "$(cat "$work/write.log")"; sleep 1; done

say "Scale from 2 to 4"
k scale deployment cairn-integrity --replicas=4
k rollout status deployment cairn-integrity --timeout=5m | tail -1
values+=(--set integrity.replicas=4)
say "$(acknowledged_now) writes are acknowledged. Upgrade to $next_tag"
release upgrade --set "image.tag=$next_tag" --set-string pod.annotations.upgraded=yes
k get pods -l app.kubernetes.io/component=integrity
say "$(acknowledged_now) writes are acknowledged. Roll back, which also scales to 2, and scale to 4"
helm rollback cairn 1 -n "$namespace" --wait --timeout 10m >/dev/null
k scale deployment cairn-integrity --replicas=4 >/dev/null
k rollout status deployment cairn-integrity --timeout=5m | tail -1

say "$(acknowledged_now) writes are acknowledged. Upgrade with a setting that cairn setup refuses, and roll back"
release upgrade --set "image.tag=$next_tag" --set-string settings.CAIRN_MAX_BLOB_BYTES=many >"$work/failed.log" 2>&1 && fail "the upgrade did not fail"
grep -m1 CAIRN_MAX_BLOB_BYTES "$work/failed.log" || { cat "$work/failed.log"; fail "helm does not show why the setup job failed"; }
[ -z "$(k get jobs,networkpolicies -o name | grep setup)" ] || fail "something of the setup job is left"
helm rollback cairn -n "$namespace" --wait --timeout 10m >/dev/null
k scale deployment cairn-integrity --replicas=4 >/dev/null

# The kubelet still stops a pod gently that was deleted with grace period 0. With 1 it kills the process a second later.
for grace in '0 --force' 1; do
  say "$(acknowledged_now) writes are acknowledged. Delete a pod with grace period $grace"
  # shellcheck disable=SC2086
  k delete "$(k get pods -l app.kubernetes.io/component=integrity -o name | head -1)" --grace-period=$grace 2>/dev/null
  sleep 5
  k rollout status deployment cairn-integrity --timeout=5m | tail -1
done

say "$(acknowledged_now) writes are acknowledged. Drain the node"
target=$(k get pods -l app.kubernetes.io/component=integrity -o jsonpath='{.items[0].spec.nodeName}')
kubectl drain "$target" --pod-selector=app.kubernetes.io/instance=cairn,app.kubernetes.io/component=integrity \
  --delete-emptydir-data --timeout=8m >"$work/drain.log" 2>&1 &
drain=$!
sleep 25
least=$(ready_pods)
echo "While the node is closed, $least of 4 pods stay ready; the budget refuses to evict more: $(grep -c 'violate the pod' "$work/drain.log") times"
[ "$least" -ge 3 ] || fail "the drain evicted more than one pod"
kubectl uncordon "$target"
while kill -0 "$drain" 2>/dev/null; do
  now=$(ready_pods); [ "${now:-0}" -ge "$least" ] || least=${now:-0}
  sleep 1
done
wait "$drain" || { cat "$work/drain.log"; fail "the drain did not end"; }
echo "Drained, with at least $least of 4 pods ready at any time"
k rollout status deployment cairn-integrity --timeout=5m | tail -1

say "Stop writing and read everything back"
kill "$load"
wait "$load" || { cat "$work/write.json"; fail "a request failed beyond what may be repeated"; }
load=
cat "$work/write.json"
node test/cluster/load.ts verify "$url" "$acknowledged" || fail "an acknowledged write is gone"

if kubectl top nodes >/dev/null 2>&1; then
  say "Scale by CPU"
  release upgrade --set "image.tag=$next_tag,integrity.autoscaling.enabled=true,integrity.autoscaling.minReplicas=2,integrity.autoscaling.maxReplicas=4,integrity.autoscaling.targetCPUUtilizationPercentage=${CPU_TARGET:-50}"
  k scale deployment cairn-integrity --replicas=2 >/dev/null
  write 32 >"$work/write.json" 2>/dev/null &
  load=$!
  for _ in $(seq 60); do
    k get hpa cairn-integrity --no-headers
    [ "$(k get hpa cairn-integrity -o jsonpath='{.status.desiredReplicas}')" -lt 3 ] || break
    sleep 5
  done
  [ "$(k get hpa cairn-integrity -o jsonpath='{.status.desiredReplicas}')" -ge 3 ] || fail "the autoscaler did not scale"
  k rollout status deployment cairn-integrity --timeout=5m | tail -1
else
  say "metrics-server is not there, so scaling by CPU is not tried"
fi
say "Uninstall"
k delete pod cairn-test >/dev/null # Helm keeps pods of tests for their logs.
helm uninstall cairn -n "$namespace" --wait --cascade=foreground >/dev/null
k get all,secrets,configmaps,networkpolicies,poddisruptionbudgets,serviceaccounts -l app.kubernetes.io/instance=cairn -o name | tee "$work/left.txt"
[ ! -s "$work/left.txt" ] || fail "the uninstalled release leaves these"
say "Everything holds"
