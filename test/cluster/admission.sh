#!/usr/bin/env bash
# Puts the admission webhook before a namespace of the cluster of KUBECONFIG. README.md says what it needs.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${MONGODB_URL:?address of MongoDB as pods see it}" "${REDIS_URL:?address of Redis as pods see it}"
: "${APP_IMAGE:?an image name@sha256:… that the nodes have}" "${OTHER_IMAGE:?another one}"
repository=${IMAGE_REPOSITORY:-localhost/cairn}
tag=${IMAGE_TAG:-test}
node_port=${NODE_PORT:-30051}
namespace=cairn-gate
guarded=cairn-gate-models
data=cairn-gate-$$ # The database, and the prefix in Redis.
url=http://127.0.0.1:$node_port
work=$(mktemp -d)
k() { kubectl --namespace "$namespace" "$@"; }
g() { kubectl --namespace "$guarded" "$@"; }
say() { printf '\n%s  %s\n' "$(date +%T)" "$*"; }
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
pinned=$(npx --no-install node --print process.execPath)
node() { "$pinned" --disable-warning=ExperimentalWarning "$@"; }
evidence() { node test/cluster/evidence.ts "$url" "$@"; }
port_of() { sed -E 's#.*:([0-9]+)(/.*)?$#\1#' <<<"$1"; }
now() { date +%s%N; }
cleanup() {
  [ -n "${KEEP:-}" ] || {
    kubectl delete namespace "$guarded" --wait=false >/dev/null 2>&1 || true
    helm uninstall cairn -n "$namespace" --wait >/dev/null 2>&1 || true
    kubectl delete namespace "$namespace" --wait=false >/dev/null 2>&1 || true
    echo "The database $data and the keys $data* of Redis are left."
  }
  rm -rf "$work"
}
trap cleanup EXIT

values=(-f k8s/examples/minimal.yaml --set "image.repository=$repository,image.tag=$tag,publicURL=$url,connections.mongodbDatabase=$data,connections.redisPrefix=$data"
  --set "networkPolicy.mongodbPorts={$(port_of "$MONGODB_URL")},networkPolicy.redisPorts={$(port_of "$REDIS_URL")}"
  --set "integrity.replicas=1,controlPlane.replicas=0,integrity.resources.requests.cpu=50m,jobs.resources.requests.cpu=50m,admission.resources.requests.cpu=50m")
release() { helm upgrade --install cairn k8s -n "$namespace" --wait --timeout 10m "${values[@]}" "$@" >"$work/helm.log" 2>&1 || { cat "$work/helm.log"; k get pods; return 1; }; }
# Asks the API server to admit a pod, and prints what it says. Nothing is created.
asked() { g run "asked-$RANDOM" --image="$1" --image-pull-policy=Never --dry-run=server 2>&1; }
admitted() { local said; said=$(asked "$1") || fail "not admitted: $said"; echo "$said"; }
refused() { local said; said=$(asked "$1") && fail "admitted: $1"; grep -q "$2" <<<"$said" || fail "another reason: $said"; echo "$said"; }
# Waits until a command succeeds.
until_ok() { for _ in $(seq 120); do "$@" >/dev/null 2>&1 && return; sleep 0.5; done; fail "not within a minute: $*"; }

say "Install, in a namespace that enforces Pod Security \"restricted\""
kubectl create namespace "$namespace" >/dev/null
kubectl label namespace "$namespace" pod-security.kubernetes.io/enforce=restricted >/dev/null
kubectl create namespace "$guarded" >/dev/null
node src/main.ts key create "$work/signing-key.json" >/dev/null
k create secret generic cairn-signing-key --from-file="$work/signing-key.json" >/dev/null
k create secret generic cairn-connections --from-literal=mongodbURL="$MONGODB_URL" --from-literal=redisURL="$REDIS_URL" >/dev/null
release
k create service nodeport load --tcp=3050:3050 --node-port="$node_port" --dry-run=client -o yaml |
  kubectl set selector --local -f - app.kubernetes.io/instance=cairn,app.kubernetes.io/component=integrity -o yaml | k create -f - >/dev/null
cat >"$work/release.yaml" <<Y
cairn: policy/1
name: release
signers: { builder: [service] }
rules:
  - name: made and signed by the builder
    require: made_by.exists(c, c.signed_by == 'builder')
Y
# By its address, because not every test cluster has DNS.
values+=(--set "admission.enabled=true,admission.serviceURL=http://$(k get service cairn-integrity -o jsonpath='{.spec.clusterIP}'):3050"
  --set-file "admission.policies.release=$work/release.yaml")
release
k get pods
certificate=$(k get secret cairn-admission -o jsonpath='{.data.tls\.crt}')

say "A namespace without the label admits everything, one with a misspelt policy nothing"
admitted busybox
kubectl label namespace "$guarded" cairn.dev/policy=relaese >/dev/null
refused "$APP_IMAGE" 'Installed are: release'

say "Warnings, then refusals"
kubectl label namespace "$guarded" cairn.dev/policy=release cairn.dev/mode=warn --overwrite >/dev/null
admitted "$APP_IMAGE" | grep '^Warning: ' || fail "no warning"
kubectl label namespace "$guarded" cairn.dev/mode=audit --overwrite >/dev/null
admitted "$APP_IMAGE" | grep '^Warning: ' && fail "a warning"
kubectl label namespace "$guarded" cairn.dev/mode- >/dev/null
refused "$APP_IMAGE" 'nothing is known about this digest'
refused "${APP_IMAGE%@*}:latest" 'has no sha256 digest'
g create deployment early --image="$APP_IMAGE" 2>"$work/early.txt" && fail "a workload is admitted"
cat "$work/early.txt"

say "An image with evidence runs"
credential=$(evidence record "$APP_IMAGE")
until_ok asked "$APP_IMAGE"
g create deployment app --image="$APP_IMAGE" --dry-run=client -o yaml |
  kubectl patch --local -f - --type=json -o yaml -p '[{"op":"add","path":"/spec/template/spec/containers/0/imagePullPolicy","value":"Never"}]' | g create -f -
g rollout status deployment app --timeout=2m | tail -1
refused "$OTHER_IMAGE" 'nothing is known about this digest'
g patch deployment app --type=json -p "[{\"op\":\"replace\",\"path\":\"/spec/template/spec/containers/0/image\",\"value\":\"$OTHER_IMAGE\"}]" 2>/dev/null && fail "an update to another image is admitted"

say "A revoked one does not start again"
# Pods keep coming meanwhile, so that the webhook has an answer that it could still use.
{ evidence revoke "$credential" && now >"$work/revoked.txt"; } &
while sent=$(now) && asked "$APP_IMAGE" >"$work/said.txt"; do :; done
wait
revoked=$(cat "$work/revoked.txt")
cat "$work/said.txt"
echo "The first refused pod was sent $(((sent - revoked) / 1000000)) ms after the answer to the revocation"
[ $((sent - revoked)) -lt 1500000000 ] || fail "it took longer than a second"
pod=$(g get pods -l app=app -o jsonpath='{.items[0].metadata.name}')
[ "$(g get pod "$pod" -o jsonpath='{.status.phase}')" = Running ] || fail "the running pod was stopped"
g label pod "$pod" looked=yes >/dev/null || fail "a running pod cannot be updated"
g delete pod "$pod" --grace-period=1 >/dev/null
reason() { g get events --field-selector reason=FailedCreate -o jsonpath='{.items[*].message}' | grep 'does not pass the policy release'; }
until_ok reason
reason
[ -z "$(g get pods -l app=app -o name)" ] || fail "a new pod started"

say "Without the service, and without the webhook"
k scale deployment cairn-integrity --replicas=0 >/dev/null
k wait --for=delete pod -l app.kubernetes.io/component=integrity --timeout=2m >/dev/null
refused "$APP_IMAGE" 'could not be checked'
k scale deployment cairn-admission --replicas=0 >/dev/null
k wait --for=delete pod -l app.kubernetes.io/component=admission --timeout=2m >/dev/null
refused "$APP_IMAGE" 'failed calling webhook'
kubectl label namespace "$guarded" cairn.dev/mode=warn >/dev/null
admitted "$APP_IMAGE"

say "An upgrade keeps the certificate, and with the failure policy Ignore everything is admitted without the service"
kubectl label namespace "$guarded" cairn.dev/mode=enforce --overwrite >/dev/null
release --set admission.failurePolicy=Ignore
[ "$(k get secret cairn-admission -o jsonpath='{.data.tls\.crt}')" = "$certificate" ] || fail "the certificate is another one"
k scale deployment cairn-integrity --replicas=0 >/dev/null
k wait --for=delete pod -l app.kubernetes.io/component=integrity --timeout=2m >/dev/null
admitted "$OTHER_IMAGE" | grep 'It is admitted all the same' || fail "no warning"

say "Uninstall"
helm uninstall cairn -n "$namespace" --wait --cascade=foreground >/dev/null
left=$(kubectl get validatingwebhookconfigurations -l app.kubernetes.io/instance=cairn -o name; k get all,secrets,configmaps,networkpolicies -l app.kubernetes.io/instance=cairn -o name)
[ -z "$left" ] || fail "the uninstalled release leaves $left"
admitted "$APP_IMAGE"
say "Everything holds"
