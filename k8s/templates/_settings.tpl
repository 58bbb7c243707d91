{{/* Which value sets a variable. These variables belong in no other place. */}}
{{- define "cairn.valueOfVariable" -}}
CAIRN_HOST: the chart
CAIRN_PORT: the chart
CAIRN_METRICS_PORT: the chart
CAIRN_DATA_DIR: embedded.enabled
CAIRN_MONGODB_URL: existingSecrets.connections
CAIRN_MONGODB_DATABASE: connections.mongodbDatabase
CAIRN_REDIS_URL: existingSecrets.connections
CAIRN_REDIS_PREFIX: connections.redisPrefix
CAIRN_SIGNING_KEY_FILE: existingSecrets.signingKey
CAIRN_LOG_KEY_FILE: existingSecrets.logKey
CAIRN_PUBLIC_URL: publicURL
CAIRN_CLAIM_NAMESPACE: claimNamespace
CAIRN_AUTH_MODE: integrity.auth.mode
CAIRN_OIDC_ISSUER_URL: integrity.auth.issuerURL
CAIRN_OIDC_AUDIENCE: integrity.auth.audience
CAIRN_AUTH_SERVICE_BASE_URL: integrity.auth.authServiceBaseURL
CAIRN_ALLOW_HTTP_AUTH_SERVICE: the chart
CAIRN_ALLOW_UNAUTHENTICATED: integrity.auth.mode and controlPlane.auth.enabled
CAIRN_SHUTDOWN_DELAY: shutdown.delaySeconds
CAIRN_SHUTDOWN_TIMEOUT: shutdown.timeoutSeconds
CAIRN_ADMISSION_PORT: the chart
CAIRN_ADMISSION_CERT_FILE: admission.certificate.existingSecret
CAIRN_ADMISSION_KEY_FILE: admission.certificate.existingSecret
CAIRN_ADMISSION_SERVICE_URL: admission.serviceURL
CAIRN_ADMISSION_TOKEN_FILE: admission.existingTokenSecret
CAIRN_ADMISSION_POLICIES_DIR: admission.policies
CAIRN_ADMISSION_FAILURE_POLICY: admission.failurePolicy
CAIRN_ADMISSION_EXEMPT_IMAGES: admission.exemptImages
CAIRN_ADMISSION_TIMEOUT: admission.timeoutSeconds
CAIRN_GATEWAY_SECRET: existingSecrets.controlPlaneAuth
CONTROL_PLANE_AUTH_ENABLED: controlPlane.auth.enabled
CONTROL_PLANE_AUTH_REGISTRATION_TOKEN_SECRET: existingSecrets.controlPlaneAuth
CONTROL_PLANE_AUTH_REGISTRATION_TOKEN_ISSUER: controlPlane.auth.registrationTokenIssuer
CONTROL_PLANE_AUTH_STATE_SECRET: existingSecrets.controlPlaneAuth
CONTROL_PLANE_AUTH_ALLOWED_EMAIL_DOMAINS: controlPlane.auth.idp.allowedEmailDomains
CONTROL_PLANE_AUTH_BOOTSTRAP_ADMIN_EMAIL: controlPlane.auth.idp.bootstrapAdminEmail
CONTROL_PLANE_AUTH_COOKIE_DOMAIN: controlPlane.auth.idp.cookieDomain
CONTROL_PLANE_AUTH_COOKIE_SECURE: controlPlane.auth.idp.cookieSecure
CONTROL_PLANE_AUTH_SESSION_MAX_AGE: controlPlane.auth.idp.sessionMaxAge
CONTROL_PLANE_AUTH_SESSION_IDLE_TIMEOUT: controlPlane.auth.idp.sessionIdleTimeout
CONTROL_PLANE_AUTH_UI_BASE_URL: controlPlane.auth.idp.uiBaseURL
CONTROL_PLANE_AUTH_IDP_ENABLED: controlPlane.auth.idp.enabled
CONTROL_PLANE_AUTH_IDP_ISSUER_URL: controlPlane.auth.idp.issuerURL
CONTROL_PLANE_AUTH_IDP_CLIENT_ID: existingSecrets.controlPlaneAuth
CONTROL_PLANE_AUTH_IDP_CLIENT_SECRET: existingSecrets.controlPlaneAuth
CONTROL_PLANE_AUTH_IDP_REDIRECT_URL: controlPlane.auth.idp.redirectURL
CONTROL_PLANE_AUTH_IDP_SCOPES: controlPlane.auth.idp.scopes
CONTROL_PLANE_AUTH_BEARER_ENABLED: controlPlane.auth.bearer.enabled
CONTROL_PLANE_AUTH_BEARER_MODE: controlPlane.auth.bearer.mode
CONTROL_PLANE_AUTH_BEARER_ISSUER_URL: controlPlane.auth.bearer.issuerURL
CONTROL_PLANE_AUTH_BEARER_CLIENT_ID: controlPlane.auth.bearer.clientID
CONTROL_PLANE_AUTH_BEARER_SCOPES: controlPlane.auth.bearer.scopes
CONTROL_PLANE_AUTH_BEARER_AUTH_SERVICE_BASE_URL: controlPlane.auth.bearer.authServiceBaseURL
{{- end -}}

{{/* A list of what is wrong with "settings" and "pod.extraEnv". */}}
{{- define "cairn.settingProblems" -}}
{{- $set := include "cairn.valueOfVariable" . | fromYaml -}}
{{- $problems := list -}}
{{- range $name, $value := .Values.settings -}}
  {{- if hasKey $set $name -}}
    {{- $problems = append $problems (printf "settings.%s is set by %s. Remove it from settings." $name (get $set $name)) -}}
  {{- else if or (regexMatch "_TOKEN$|_SECRET$|_PASSWORD$|^OTEL_.*_HEADERS$" $name) (regexMatch "://[^/?#]*@" $value) -}}
    {{- $problems = append $problems (printf "settings.%s may hold a secret, and settings are shown to everybody who may read pods. Put it into a Secret, and name that in pod.extraEnv with valueFrom.secretKeyRef." $name) -}}
  {{- end -}}
{{- end -}}
{{- $seen := dict -}}
{{- range .Values.pod.extraEnv -}}
  {{- if hasKey $set .name -}}
    {{- $problems = append $problems (printf "%s in pod.extraEnv is set by %s. Remove it from pod.extraEnv." .name (get $set .name)) -}}
  {{- else if or (hasKey $.Values.settings .name) (hasKey $seen .name) -}}
    {{- $problems = append $problems (printf "%s in pod.extraEnv is set twice. Keep one of them." .name) -}}
  {{- end -}}
  {{- $_ := set $seen .name true -}}
{{- end -}}
{{- toJson $problems -}}
{{- end -}}
