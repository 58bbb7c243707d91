#!/usr/bin/env bash
# Runs metrics-server as a process of this machine, for a one-node cluster here whose pods cannot run it. Ends with Ctrl-C.
#   go install sigs.k8s.io/metrics-server/cmd/metrics-server@latest
#   test/cluster/metrics-server.sh 10.244.0.1
# The address is one of this machine that is not loopback, such as that of the pods' bridge.
set -euo pipefail
address=${1:?address of this machine, as the API server sees it}
port=10443
kubectl apply -f - <<Y
apiVersion: v1
kind: Service
metadata: { name: metrics-server, namespace: kube-system }
spec:
  ports: [{ port: 443, targetPort: $port }]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: metrics-server, namespace: kube-system, labels: { kubernetes.io/service-name: metrics-server } }
addressType: IPv4
ports: [{ port: $port, protocol: TCP, name: '' }]
endpoints: [{ addresses: [$address], conditions: { ready: true } }]
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: v1beta1.metrics.k8s.io }
spec:
  group: metrics.k8s.io
  version: v1beta1
  insecureSkipTLSVerify: true
  groupPriorityMinimum: 100
  versionPriority: 100
  service: { name: metrics-server, namespace: kube-system }
---
# An API server without a proxy certificate asks anonymously.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: metrics-reader }
rules:
  - { apiGroups: [metrics.k8s.io], resources: [pods, nodes], verbs: [get, list] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: metrics-reader }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: metrics-reader }
subjects:
  - { apiGroup: rbac.authorization.k8s.io, kind: Group, name: 'system:unauthenticated' }
Y
certificates=$(mktemp -d)
trap 'rm -rf "$certificates"' EXIT
metrics-server --kubeconfig "$KUBECONFIG" --authentication-kubeconfig "$KUBECONFIG" --authorization-kubeconfig "$KUBECONFIG" \
  --authorization-always-allow-paths='/apis/*,/apis,/openapi/*,/livez,/readyz' --cert-dir "$certificates" \
  --secure-port "$port" --kubelet-insecure-tls --kubelet-preferred-address-types=InternalIP --metric-resolution 15s
