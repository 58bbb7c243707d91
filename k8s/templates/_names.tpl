{{- define "cairn.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that select the pods of the release. */}}
{{- define "cairn.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "cairn.labels" -}}
{{ include "cairn.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "cairn.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{/* The Deployments, with their values. One process with the embedded store runs everything. */}}
{{- define "cairn.components" -}}
{{- if .Values.embedded.enabled -}}
{{- dict "integrity" .Values.integrity | toJson -}}
{{- else -}}
{{- dict "integrity" .Values.integrity "control-plane" .Values.controlPlane "jobs" .Values.jobs | toJson -}}
{{- end -}}
{{- end -}}

{{/* The name of the Secret with a group of keys: "connections", "signingKey", "logKey" or "controlPlaneAuth". */}}
{{- define "cairn.secret" -}}
{{- default (printf "%s-%s" (include "cairn.fullname" .root) (kebabcase .group)) (index .root.Values.existingSecrets .group) -}}
{{- end -}}

{{/* The name of a key in such a Secret. @param root, key: its name in the values */}}
{{- define "cairn.secretKey" -}}
{{- index .root.Values.existingSecrets.keys .key -}}
{{- end -}}

{{- define "cairn.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ default (include "cairn.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
{{ default "default" .Values.serviceAccount.name }}
{{- end -}}
{{- end -}}

{{/* The base URLs of auth services, by the values that hold them. */}}
{{- define "cairn.authServices" -}}
{{- $v := .Values -}}
{{- dict
  "integrity.auth.authServiceBaseURL" $v.integrity.auth.authServiceBaseURL
  "controlPlane.auth.bearer.authServiceBaseURL" $v.controlPlane.auth.bearer.authServiceBaseURL
  "settings.CONTROL_PLANE_ADAPTER_AUTH_SERVICE_BASE_URL" (default "" $v.settings.CONTROL_PLANE_ADAPTER_AUTH_SERVICE_BASE_URL)
  | toJson -}}
{{- end -}}

{{- define "cairn.publicURL" -}}
{{- if .Values.publicURL -}}
{{ .Values.publicURL | trimSuffix "/" }}
{{- else if and .Values.ingress.enabled .Values.ingress.host -}}
https://{{ .Values.ingress.host }}
{{- end -}}
{{- end -}}

{{- define "cairn.redirectURL" -}}
{{- $public := include "cairn.publicURL" . -}}
{{- if .Values.controlPlane.auth.idp.redirectURL -}}
{{ .Values.controlPlane.auth.idp.redirectURL }}
{{- else if $public -}}
{{ $public }}/v1/auth/callback/idp
{{- end -}}
{{- end -}}

{{- define "cairn.scopes" -}}
{{- if kindIs "slice" . -}}{{ join "," . }}{{- else -}}{{ . }}{{- end -}}
{{- end -}}

{{/* How long a stop may take, and a little more. */}}
{{- define "cairn.grace" -}}
{{ add (int .Values.shutdown.delaySeconds) (int .Values.shutdown.timeoutSeconds) 5 }}
{{- end -}}
