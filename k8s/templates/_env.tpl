{{/* A variable, or nothing if the value is empty. Begins with a line break. */}}
{{- define "cairn.variable" -}}
{{- if .value }}
- name: {{ .name }}
  value: {{ .value | quote }}
{{- end }}
{{- end -}}

{{- define "cairn.secretVariable" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ .key }}
      {{- if .optional }}
      optional: true
      {{- end }}
{{- end -}}

{{/* Variables of every process and of "cairn setup". */}}
{{- define "cairn.env" -}}
{{- $v := .Values -}}
{{- $connections := include "cairn.secret" (dict "root" . "group" "connections") -}}
- name: CAIRN_DATA_DIR
  value: {{ ternary "/data" "/tmp/cairn" $v.embedded.enabled }}
{{- if not $v.embedded.enabled }}
{{ include "cairn.secretVariable" (dict "name" "CAIRN_MONGODB_URL" "secret" $connections "key" "mongodbURL") }}
- name: CAIRN_MONGODB_DATABASE
  value: {{ $v.connections.mongodbDatabase | quote }}
{{ include "cairn.secretVariable" (dict "name" "CAIRN_REDIS_URL" "secret" $connections "key" "redisURL") }}
- name: CAIRN_REDIS_PREFIX
  value: {{ $v.connections.redisPrefix | quote }}
{{- end }}
{{- if or (not $v.embedded.enabled) $v.signingKey $v.existingSecrets.signingKey }}
- name: CAIRN_SIGNING_KEY_FILE
  value: /keys/signing-key.json
{{- end }}
{{- include "cairn.variable" (dict "name" "CAIRN_PUBLIC_URL" "value" (include "cairn.publicURL" .)) }}
{{- include "cairn.variable" (dict "name" "CAIRN_CLAIM_NAMESPACE" "value" $v.claimNamespace) }}
{{- range $name, $value := $v.settings }}
{{- include "cairn.variable" (dict "name" $name "value" $value) }}
{{- end }}
{{- end -}}

{{- define "cairn.integrityEnv" -}}
{{- with .Values.integrity.auth -}}
- name: CAIRN_AUTH_MODE
  value: {{ .mode }}
{{- include "cairn.variable" (dict "name" "CAIRN_OIDC_ISSUER_URL" "value" .issuerURL) }}
{{- include "cairn.variable" (dict "name" "CAIRN_OIDC_AUDIENCE" "value" .audience) }}
{{- include "cairn.variable" (dict "name" "CAIRN_AUTH_SERVICE_BASE_URL" "value" .authServiceBaseURL) }}
{{- end }}
{{- end -}}

{{- define "cairn.controlPlaneEnv" -}}
{{- $secret := include "cairn.secret" (dict "root" . "group" "controlPlaneAuth") -}}
{{- $a := .Values.controlPlane.auth -}}
- name: CONTROL_PLANE_AUTH_ENABLED
  value: {{ $a.enabled | quote }}
{{ include "cairn.secretVariable" (dict "name" "CONTROL_PLANE_AUTH_REGISTRATION_TOKEN_SECRET" "secret" $secret "key" "registrationTokenSecret" "optional" true) }}
{{ include "cairn.secretVariable" (dict "name" "CAIRN_GATEWAY_SECRET" "secret" $secret "key" "gatewaySecret" "optional" true) }}
{{- include "cairn.variable" (dict "name" "CONTROL_PLANE_AUTH_REGISTRATION_TOKEN_ISSUER" "value" $a.registrationTokenIssuer) }}
{{- if and $a.enabled $a.idp.enabled }}
- name: CONTROL_PLANE_AUTH_IDP_ENABLED
  value: "true"
{{ include "cairn.secretVariable" (dict "name" "CONTROL_PLANE_AUTH_STATE_SECRET" "secret" $secret "key" "stateSecret") }}
{{ include "cairn.secretVariable" (dict "name" "CONTROL_PLANE_AUTH_IDP_CLIENT_ID" "secret" $secret "key" "idpClientID") }}
{{ include "cairn.secretVariable" (dict "name" "CONTROL_PLANE_AUTH_IDP_CLIENT_SECRET" "secret" $secret "key" "idpClientSecret") }}
{{- range $name, $value := dict
  "IDP_ISSUER_URL" $a.idp.issuerURL
  "IDP_REDIRECT_URL" (include "cairn.redirectURL" .)
  "IDP_SCOPES" (include "cairn.scopes" $a.idp.scopes)
  "ALLOWED_EMAIL_DOMAINS" $a.idp.allowedEmailDomains
  "BOOTSTRAP_ADMIN_EMAIL" $a.idp.bootstrapAdminEmail
  "COOKIE_DOMAIN" $a.idp.cookieDomain
  "SESSION_MAX_AGE" $a.idp.sessionMaxAge
  "SESSION_IDLE_TIMEOUT" $a.idp.sessionIdleTimeout
  "UI_BASE_URL" $a.idp.uiBaseURL }}
{{- include "cairn.variable" (dict "name" (printf "CONTROL_PLANE_AUTH_%s" $name) "value" $value) }}
{{- end }}
{{- end }}
{{- if and $a.enabled $a.bearer.enabled }}
- name: CONTROL_PLANE_AUTH_BEARER_ENABLED
  value: "true"
{{- range $name, $value := dict
  "MODE" (default "oidc" $a.bearer.mode)
  "ISSUER_URL" $a.bearer.issuerURL
  "CLIENT_ID" $a.bearer.clientID
  "SCOPES" (include "cairn.scopes" $a.bearer.scopes)
  "AUTH_SERVICE_BASE_URL" $a.bearer.authServiceBaseURL }}
{{- include "cairn.variable" (dict "name" (printf "CONTROL_PLANE_AUTH_BEARER_%s" $name) "value" $value) }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
Variables of processes that listen. Plain HTTP inside the cluster and no authentication are allowed if the values ask for them.
@param root, component
*/}}
{{- define "cairn.serviceEnv" -}}
{{- $v := .root.Values -}}
{{- $auth := $v.integrity.auth -}}
{{- $controlPlane := $v.controlPlane.auth -}}
- name: CAIRN_HOST
  value: 0.0.0.0
- name: CAIRN_PORT
  value: "3050"
- name: CAIRN_METRICS_PORT
  value: "9464"
- name: CAIRN_SHUTDOWN_DELAY
  value: {{ $v.shutdown.delaySeconds }}s
- name: CAIRN_SHUTDOWN_TIMEOUT
  value: {{ $v.shutdown.timeoutSeconds }}s
{{- if or (hasPrefix "http://" $auth.authServiceBaseURL) (hasPrefix "http://" $controlPlane.bearer.authServiceBaseURL) }}
- name: CAIRN_ALLOW_HTTP_AUTH_SERVICE
  value: "true"
{{- end }}
{{- $open := list -}}
{{- if eq $auth.mode "disabled" }}{{ $open = append $open "integrity" }}{{ end }}
{{- if not $controlPlane.enabled }}{{ $open = append $open "control-plane" }}{{ end }}
{{- if or (has .component $open) (and $v.embedded.enabled $open) }}
- name: CAIRN_ALLOW_UNAUTHENTICATED
  value: "true"
{{- end }}
{{- end -}}
