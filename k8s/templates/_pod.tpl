{{- define "cairn.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "cairn.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Fields that every pod has. */}}
{{- define "cairn.podBasics" -}}
automountServiceAccountToken: false
securityContext:
  {{- include "cairn.podSecurity" . | nindent 2 }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .Values.pod.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.pod.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.pod.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

{{/* The metadata of the pods of a Deployment. @param root, component, annotations: more of them, as text */}}
{{- define "cairn.podMetadata" -}}
labels:
  {{- include "cairn.labels" .root | nindent 2 }}
  app.kubernetes.io/component: {{ .component }}
  {{- with .root.Values.pod.labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
annotations:
  checksum/secrets: {{ include "cairn.ownSecrets" .root | sha256sum }}
  {{- with .annotations }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- if .root.Values.metrics.annotations }}
  prometheus.io/scrape: 'true'
  prometheus.io/port: '9464'
  prometheus.io/path: /metrics
  {{- end }}
  {{- with .root.Values.pod.annotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* The pods of a Deployment up to their containers. @param root, component */}}
{{- define "cairn.podPlacement" -}}
{{- $root := .root -}}
{{- $component := .component -}}
serviceAccountName: {{ include "cairn.serviceAccount" $root }}
{{ include "cairn.podBasics" $root }}
enableServiceLinks: false # A service named "cairn" would set CAIRN_PORT.
{{- with $root.Values.pod.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.pod.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- range . }}
  - {{- toYaml . | nindent 4 }}
    {{- if not .labelSelector }}
    labelSelector:
      matchLabels:
        {{- include "cairn.selector" $root | nindent 8 }}
        app.kubernetes.io/component: {{ $component }}
    {{- end }}
  {{- end }}
{{- end }}
terminationGracePeriodSeconds: {{ include "cairn.grace" $root }}
{{- with $root.Values.pod.initContainers }}
initContainers:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "cairn.hasKeyVolume" -}}
{{- if or (not .Values.embedded.enabled) .Values.signingKey .Values.existingSecrets.signingKey -}}yes{{- end -}}
{{- end -}}

{{- define "cairn.hasLogKey" -}}
{{- if or .Values.logKey .Values.existingSecrets.logKey -}}yes{{- end -}}
{{- end -}}

{{/* @param root, secret: name of the Secret with the signing key, claim: whether to mount the data folder, logKey: whether to mount the key of the log. */}}
{{- define "cairn.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: {{ .root.Values.tmp.sizeLimit }}
{{- if include "cairn.hasKeyVolume" .root }}
- name: keys
  secret:
    secretName: {{ .secret }}
    defaultMode: 0440
    items:
      - { key: {{ include "cairn.secretKey" (dict "root" .root "key" "signingKey") }}, path: signing-key.json }
{{- end }}
{{- if and .logKey (include "cairn.hasLogKey" .root) }}
- name: log-key
  secret:
    secretName: {{ include "cairn.secret" (dict "root" .root "group" "logKey") }}
    defaultMode: 0440
    items:
      - { key: {{ include "cairn.secretKey" (dict "root" .root "key" "logKey") }}, path: log-key.json }
{{- end }}
{{- if .claim }}
- name: data
  persistentVolumeClaim:
    claimName: {{ include "cairn.fullname" .root }}
{{- end }}
{{- with .root.Values.pod.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "cairn.volumeMounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if include "cairn.hasKeyVolume" .root }}
- { name: keys, mountPath: /keys, readOnly: true }
{{- end }}
{{- if and .logKey (include "cairn.hasLogKey" .root) }}
- { name: log-key, mountPath: /log-key, readOnly: true }
{{- end }}
{{- if .claim }}
- { name: data, mountPath: /data }
{{- end }}
{{- with .root.Values.pod.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* A volume that uninstalling keeps. @param root, name, storage: values with size and storageClassName */}}
{{- define "cairn.claim" -}}
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: {{ .name }}
  labels:
    {{- include "cairn.labels" .root | nindent 4 }}
  annotations:
    helm.sh/resource-policy: keep
spec:
  accessModes: [ReadWriteOnce]
  {{- with .storage.storageClassName }}
  storageClassName: {{ . }}
  {{- end }}
  resources:
    requests:
      storage: {{ .storage.size }}
{{- end -}}
