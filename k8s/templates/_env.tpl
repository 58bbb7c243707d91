{{/* A variable, or nothing if the value is empty. Begins with a line break. */}}
{{- define "cairn.variable" -}}
{{- if .value }}
- name: {{ .name }}
  value: {{ .value | quote }}
{{- end }}
{{- end -}}

{{/* @param root, name, secret: name of the Secret, key: name of its key in the values, optional */}}
{{- define "cairn.secretVariable" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ include "cairn.secretKey" . }}
      {{- if .optional }}
      optional: true
      {{- end }}
{{- end -}}

{{/* Variables of every process and job. Plain HTTP inside the cluster is allowed if the values ask for it. */}}
{{- define "cairn.env" -}}
{{- $v := .Values -}}
{{- $connections := include "cairn.secret" (dict "root" . "group" "connections") -}}
- name: CAIRN_DATA_DIR
  value: {{ ternary "/data" "/tmp/cairn" $v.embedded.enabled }}
{{- if not $v.embedded.enabled }}
{{ include "cairn.secretVariable" (dict "root" . "name" "CAIRN_MONGODB_URL" "secret" $connections "key" "mongodbURL") }}
- name: CAIRN_MONGODB_DATABASE
  value: {{ $v.connections.mongodbDatabase | quote }}
{{ include "cairn.secretVariable" (dict "root" . "name" "CAIRN_REDIS_URL" "secret" $connections "key" "redisURL") }}
- name: CAIRN_REDIS_PREFIX
  value: {{ $v.connections.redisPrefix | quote }}
{{- end }}
{{- if or (not $v.embedded.enabled) $v.signingKey $v.existingSecrets.signingKey }}
- name: CAIRN_SIGNING_KEY_FILE
  value: /keys/signing-key.json
{{- end }}
{{- include "cairn.variable" (dict "name" "CAIRN_PUBLIC_URL" "value" (include "cairn.publicURL" .)) }}
{{- include "cairn.variable" (dict "name" "CAIRN_CLAIM_NAMESPACE" "value" $v.claimNamespace) }}
{{- range $url := include "cairn.authServices" . | fromJson | values | sortAlpha }}
{{- if hasPrefix "http://" $url }}
- name: CAIRN_ALLOW_HTTP_AUTH_SERVICE
  value: "true"
{{- break }}
{{- end }}
{{- end }}
{{- range $name, $value := $v.settings }}
{{- include "cairn.variable" (dict "name" $name "value" $value) }}
{{- end }}
{{- with $v.pod.extraEnv }}
{{ toYaml . }}
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

{{/* Whether callers of the control plane show e-mail addresses: by browser, or in ID tokens of tools. */}}
{{- define "cairn.readsIDTokens" -}}
{{- with .Values.controlPlane.auth -}}
{{- if and .enabled (or .idp.enabled (and .bearer.enabled (eq (default "oidc" .bearer.mode) "oidc"))) -}}yes{{- end -}}
{{- end -}}
{{- end -}}

{{/* Whether people sign in by browser. Then each service needs the settings of both: they take the same sessions. */}}
{{- define "cairn.signsInByBrowser" -}}
{{- with .Values.controlPlane.auth -}}{{- if and .enabled .idp.enabled -}}yes{{- end -}}{{- end -}}
{{- end -}}

{{- define "cairn.signInEnv" -}}
{{- $secret := include "cairn.secret" (dict "root" . "group" "controlPlaneAuth") -}}
{{- $a := .Values.controlPlane.auth -}}
- name: CONTROL_PLANE_AUTH_ENABLED
  value: {{ $a.enabled | quote }}
{{- if include "cairn.signsInByBrowser" . }}
- name: CONTROL_PLANE_AUTH_IDP_ENABLED
  value: "true"
{{ include "cairn.secretVariable" (dict "root" . "name" "CONTROL_PLANE_AUTH_STATE_SECRET" "secret" $secret "key" "stateSecret") }}
{{ include "cairn.secretVariable" (dict "root" . "name" "CONTROL_PLANE_AUTH_IDP_CLIENT_ID" "secret" $secret "key" "idpClientID") }}
{{ include "cairn.secretVariable" (dict "root" . "name" "CONTROL_PLANE_AUTH_IDP_CLIENT_SECRET" "secret" $secret "key" "idpClientSecret") }}
{{- range $name, $value := dict
  "IDP_ISSUER_URL" $a.idp.issuerURL
  "IDP_REDIRECT_URL" (include "cairn.redirectURL" .)
  "IDP_SCOPES" (include "cairn.scopes" $a.idp.scopes)
  "BOOTSTRAP_ADMIN_EMAIL" $a.idp.bootstrapAdminEmail
  "COOKIE_DOMAIN" $a.idp.cookieDomain
  "COOKIE_SECURE" (toString $a.idp.cookieSecure)
  "SESSION_MAX_AGE" $a.idp.sessionMaxAge
  "SESSION_IDLE_TIMEOUT" $a.idp.sessionIdleTimeout
  "UI_BASE_URL" $a.idp.uiBaseURL }}
{{- include "cairn.variable" (dict "name" (printf "CONTROL_PLANE_AUTH_%s" $name) "value" $value) }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "cairn.controlPlaneEnv" -}}
{{- $secret := include "cairn.secret" (dict "root" . "group" "controlPlaneAuth") -}}
{{- $a := .Values.controlPlane.auth -}}
{{ include "cairn.secretVariable" (dict "root" . "name" "CONTROL_PLANE_AUTH_REGISTRATION_TOKEN_SECRET" "secret" $secret "key" "registrationTokenSecret" "optional" true) }}
{{ include "cairn.secretVariable" (dict "root" . "name" "CAIRN_GATEWAY_SECRET" "secret" $secret "key" "gatewaySecret" "optional" true) }}
{{- include "cairn.variable" (dict "name" "CONTROL_PLANE_AUTH_REGISTRATION_TOKEN_ISSUER" "value" $a.registrationTokenIssuer) }}
{{- if include "cairn.readsIDTokens" . }}
{{- include "cairn.variable" (dict "name" "CONTROL_PLANE_AUTH_ALLOWED_EMAIL_DOMAINS" "value" $a.idp.allowedEmailDomains) }}
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
Variables of processes that listen. No authentication is allowed if the values ask for it.
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
{{- if and (ne .component "admission") (include "cairn.hasLogKey" .root) }}
- name: CAIRN_LOG_KEY_FILE
  value: /log-key/log-key.json
{{- end }}
- name: CAIRN_SHUTDOWN_DELAY
  value: {{ $v.shutdown.delaySeconds }}s
- name: CAIRN_SHUTDOWN_TIMEOUT
  value: {{ $v.shutdown.timeoutSeconds }}s
{{- $open := list -}}
{{- if eq $auth.mode "disabled" }}{{ $open = append $open "integrity" }}{{ end }}
{{- if not $controlPlane.enabled }}{{ $open = append $open "control-plane" }}{{ end }}
{{- if or (has .component $open) (and $v.embedded.enabled $open) }}
- name: CAIRN_ALLOW_UNAUTHENTICATED
  value: "true"
{{- end }}
{{- end -}}
