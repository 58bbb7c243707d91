{{- define "cairn.admissionName" -}}
{{ include "cairn.fullname" . }}-admission
{{- end -}}

{{/*
The keys tls.crt, tls.key and ca.crt of the Secret that the chart makes, in Base64: those of the installed Secret, or new ones
for ten years. `helm template` sees no cluster, so it makes new ones each time.
*/}}
{{- define "cairn.admissionCertificate" -}}
{{- $name := include "cairn.admissionName" . -}}
{{- $installed := (lookup "v1" "Secret" .Release.Namespace $name).data | default dict -}}
{{- if .Values.admission.certificate.existingSecret -}}
{{- dict "ca.crt" "" | toJson -}}
{{- else if and (hasKey $installed "tls.crt") (hasKey $installed "tls.key") (hasKey $installed "ca.crt") -}}
{{- pick $installed "tls.crt" "tls.key" "ca.crt" | toJson -}}
{{- else -}}
{{- $host := printf "%s.%s.svc" $name .Release.Namespace -}}
{{- $made := genSelfSignedCert $host nil (list $host) 3650 -}}
{{- dict "tls.crt" ($made.Cert | b64enc) "tls.key" ($made.Key | b64enc) "ca.crt" ($made.Cert | b64enc) | toJson -}}
{{- end -}}
{{- end -}}

{{/* A webhook, without its namespaceSelector. Modes that only tell never stop anything. @param root, name, path, mode, authority */}}
{{- define "cairn.webhook" -}}
- name: {{ .name }}.admission.cairn.dev
  admissionReviewVersions: [v1]
  sideEffects: None
  timeoutSeconds: {{ .root.Values.admission.timeoutSeconds }}
  failurePolicy: {{ ternary .root.Values.admission.failurePolicy "Ignore" (eq .mode "enforce") }}
  clientConfig:
    service: { name: {{ include "cairn.admissionName" .root }}, namespace: {{ .root.Release.Namespace }}, port: 443, path: {{ .path }} }
    {{- with .authority }}
    caBundle: {{ b64enc . }}
    {{- end }}
  rules:
    - { apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods, pods/ephemeralcontainers, podtemplates, replicationcontrollers], scope: Namespaced }
    - { apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments, replicasets, statefulsets, daemonsets], scope: Namespaced }
    - { apiGroups: [batch], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [jobs, cronjobs], scope: Namespaced }
{{- end -}}

{{/* The namespace of the release is never checked, because the webhook could not start there without itself. */}}
{{- define "cairn.webhookExceptions" -}}
- { key: kubernetes.io/metadata.name, operator: NotIn, values: [{{ .Release.Namespace }}] }
{{- end -}}

{{- define "cairn.admissionEnv" -}}
{{- $a := .Values.admission -}}
- name: CAIRN_ADMISSION_CERT_FILE
  value: /certificate/tls.crt
- name: CAIRN_ADMISSION_KEY_FILE
  value: /certificate/tls.key
- name: CAIRN_ADMISSION_SERVICE_URL
  value: {{ default (printf "http://%s-integrity.%s.svc:3050" (include "cairn.fullname" .) .Release.Namespace) $a.serviceURL }}
- name: CAIRN_ADMISSION_POLICIES_DIR
  value: /policies
- name: CAIRN_ADMISSION_FAILURE_POLICY
  value: {{ $a.failurePolicy }}
- name: CAIRN_ADMISSION_TIMEOUT
  value: {{ sub (int $a.timeoutSeconds) 1 }}s
{{- if $a.existingTokenSecret }}
- name: CAIRN_ADMISSION_TOKEN_FILE
  value: /token/token
{{- end }}
{{- include "cairn.variable" (dict "name" "CAIRN_ADMISSION_EXEMPT_IMAGES" "value" (join "," $a.exemptImages)) }}
{{ include "cairn.serviceEnv" (dict "root" . "component" "admission") }}
{{- range $name, $value := .Values.settings }}
{{- include "cairn.variable" (dict "name" $name "value" $value) }}
{{- end }}
{{- with .Values.pod.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}
