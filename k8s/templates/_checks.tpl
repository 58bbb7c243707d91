{{/* Refuses unsafe and incomplete values with all problems at once. */}}
{{- define "cairn.checks" -}}
{{- $v := .Values -}}
{{- $idp := $v.controlPlane.auth.idp -}}
{{- $bearer := $v.controlPlane.auth.bearer -}}
{{- $auth := $v.integrity.auth -}}
{{- $problems := list -}}

{{- if $v.embedded.enabled -}}
  {{- if or $v.integrity.autoscaling.enabled (gt (int $v.integrity.replicas) 1) -}}
    {{- $problems = append $problems "embedded.enabled is true, so only one pod can use the data folder. Set integrity.replicas=1 and integrity.autoscaling.enabled=false, or use MongoDB: set embedded.enabled=false and connections.mongodbURL." -}}
  {{- end -}}
{{- else -}}
  {{- if not (or $v.existingSecrets.connections (and $v.connections.mongodbURL $v.connections.redisURL)) -}}
    {{- $problems = append $problems "MongoDB and Redis are not set. Set connections.mongodbURL and connections.redisURL, or name a Secret with the keys mongodbURL and redisURL in existingSecrets.connections. To try Cairn in one pod without them, set embedded.enabled=true." -}}
  {{- end -}}
  {{- if not (or $v.existingSecrets.signingKey $v.signingKey) -}}
    {{- $problems = append $problems "The signing key is not set. Make one with \"cairn key create signing-key.json\" and name a Secret with the key signing-key.json in existingSecrets.signingKey, or set it with --set-file signingKey=signing-key.json." -}}
  {{- end -}}
{{- end -}}
{{- if and $v.signingKey (not (regexMatch "\"(d|keys)\"\\s*:" $v.signingKey)) -}}
  {{- $problems = append $problems "signingKey is not a private JWK. Make one with \"cairn key create signing-key.json\" and pass --set-file signingKey=signing-key.json." -}}
{{- end -}}
{{- if and $v.logKey (not (regexMatch "\"(d|keys)\"\\s*:" $v.logKey)) -}}
  {{- $problems = append $problems "logKey is not a private JWK. Make one with \"cairn key create log-key.json\" and pass --set-file logKey=log-key.json." -}}
{{- end -}}

{{- $secrets := dict
  "controlPlane.auth.idp.stateSecret" $idp.stateSecret
  "controlPlane.auth.idp.clientSecret" $idp.clientSecret
  "controlPlane.auth.registrationTokenSecret" $v.controlPlane.auth.registrationTokenSecret
  "controlPlane.gatewaySecret" $v.controlPlane.gatewaySecret -}}
{{- range $name, $value := $secrets -}}
  {{- if $value -}}
    {{- if and (ne $name "controlPlane.auth.idp.clientSecret") (lt (len $value) 32) -}}
      {{- $problems = append $problems (printf "%s has fewer than 32 bytes. Make one with \"openssl rand -base64 32\"." $name) -}}
    {{- else if or (regexMatch "(?i)change.?me|change.?this|replace|placeholder|example|your.?(own|secret)|insecure|password|dummy|secret|01234567|<.*>|\\.\\.\\." $value) (lt (len (splitList "" $value | uniq)) 8) -}}
      {{- $problems = append $problems (printf "%s is a placeholder. Make a secret with \"openssl rand -base64 32\"." $name) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}

{{- if not $auth.mode -}}
  {{- $problems = append $problems "integrity.auth.mode is not set. Set it to oidc or auth_service. Set it to disabled only if everybody who reaches the pods may do everything." -}}
{{- end -}}
{{- if eq $auth.mode "oidc" -}}
  {{- if not (and $auth.issuerURL $auth.audience $v.claimNamespace) -}}
    {{- $problems = append $problems "integrity.auth.mode is oidc. Set integrity.auth.issuerURL, integrity.auth.audience and claimNamespace too." -}}
  {{- end -}}
{{- else if eq $auth.mode "auth_service" -}}
  {{- if not $auth.authServiceBaseURL -}}
    {{- $problems = append $problems "integrity.auth.mode is auth_service. Set integrity.auth.authServiceBaseURL too." -}}
  {{- end -}}
{{- end -}}

{{- if $v.controlPlane.auth.enabled -}}
  {{- if not (or $idp.enabled $bearer.enabled) -}}
    {{- $problems = append $problems "controlPlane.auth.enabled is true, but there is no way to sign in. Set controlPlane.auth.idp.enabled=true for browsers, controlPlane.auth.bearer.enabled=true for tools, or both." -}}
  {{- end -}}
  {{- if $idp.enabled -}}
    {{- if not (or $v.existingSecrets.controlPlaneAuth (and $idp.stateSecret $idp.clientID $idp.clientSecret)) -}}
      {{- $problems = append $problems "controlPlane.auth.idp.enabled is true. Name a Secret with the keys stateSecret, idpClientID and idpClientSecret in existingSecrets.controlPlaneAuth, or set controlPlane.auth.idp.stateSecret, clientID and clientSecret." -}}
    {{- end -}}
    {{- if not (include "cairn.redirectURL" .) -}}
      {{- $problems = append $problems "controlPlane.auth.idp.enabled is true, but the address of the service is not known. Set publicURL, ingress.host or controlPlane.auth.idp.redirectURL." -}}
    {{- end -}}
  {{- end -}}
  {{- if and $bearer.enabled (eq (default "oidc" $bearer.mode) "oidc") (not (and $bearer.issuerURL $bearer.clientID (include "cairn.scopes" $bearer.scopes))) -}}
    {{- $problems = append $problems "controlPlane.auth.bearer.mode is oidc. Set controlPlane.auth.bearer.issuerURL, clientID and at least one scope in scopes." -}}
  {{- end -}}
  {{- if and $bearer.enabled (eq $bearer.mode "auth_service") (not (or $bearer.authServiceBaseURL (hasKey $v.settings "CONTROL_PLANE_ADAPTER_AUTH_SERVICE_BASE_URL"))) -}}
    {{- $problems = append $problems "controlPlane.auth.bearer.mode is auth_service. Set controlPlane.auth.bearer.authServiceBaseURL." -}}
  {{- end -}}
{{- else if or $idp.enabled $bearer.enabled -}}
  {{- $problems = append $problems "controlPlane.auth.enabled is false, but a way to sign in is enabled. Set controlPlane.auth.enabled=true, or set idp.enabled and bearer.enabled to false." -}}
{{- end -}}

{{- $asking := dict -}}
{{- if $idp.enabled -}}{{- $_ := set $asking "idp" $idp.scopes -}}{{- end -}}
{{- if and $bearer.enabled (eq (default "oidc" $bearer.mode) "oidc") -}}{{- $_ := set $asking "bearer" $bearer.scopes -}}{{- end -}}
{{- range $name, $scopes := $asking -}}
  {{- $text := include "cairn.scopes" $scopes -}}
  {{- if and $text (not (regexMatch "(^|[, ])openid($|[, ])" $text)) -}}
    {{- $problems = append $problems (printf "controlPlane.auth.%s.scopes=%q lacks openid, without which there is no ID token. Add it." $name $text) -}}
  {{- end -}}
{{- end -}}
{{- if and $idp.allowedEmailDomains $v.controlPlane.auth.enabled (not (include "cairn.readsIDTokens" .)) -}}
  {{- $problems = append $problems "controlPlane.auth.idp.allowedEmailDomains has no effect with controlPlane.auth.bearer.mode=auth_service, where the auth service decides who may call. Leave it empty." -}}
{{- end -}}

{{- range $name, $url := include "cairn.authServices" . | fromJson -}}
  {{- if and (hasPrefix "http://" $url) (not (regexMatch "^http://[a-z0-9.-]+\\.svc(\\.cluster\\.local)?(:[0-9]+)?(/|$)" $url)) -}}
    {{- $problems = append $problems (printf "%s=%q is plain HTTP outside the cluster, so others could read tokens. Use https, or a name of the cluster such as http://auth.auth-namespace.svc:8080." $name $url) -}}
  {{- end -}}
{{- end -}}

{{- if and $v.ingress.enabled (not $v.ingress.host) -}}
  {{- $problems = append $problems "ingress.enabled is true. Set ingress.host to the name under which others reach Cairn." -}}
{{- end -}}
{{- if not (include "cairn.publicURL" .) -}}
  {{- $problems = append $problems "publicURL is not set. Ids of credentials and status lists start with it for ever, and each pod would use an address that nobody else reaches. Set publicURL or ingress.host. To try Cairn out, set publicURL to the address of the service in the cluster." -}}
{{- end -}}
{{- $types := dict "integrity" $v.integrity.service.type "controlPlane" $v.controlPlane.service.type -}}
{{- $open := list -}}
{{- if eq $auth.mode "disabled" -}}{{- $open = append $open "integrity" -}}{{- end -}}
{{- if not $v.controlPlane.auth.enabled -}}{{- $open = append $open "controlPlane" -}}{{- end -}}
{{- range $name := $open -}}
  {{- $setting := get (dict "integrity" "integrity.auth.mode is disabled" "controlPlane" "controlPlane.auth.enabled is false") $name -}}
  {{- $remedy := get (dict "integrity" "Set integrity.auth.mode to oidc or auth_service" "controlPlane" "Set controlPlane.auth.enabled=true") $name -}}
  {{- if $v.ingress.enabled -}}
    {{- $problems = append $problems (printf "%s and ingress.enabled is true, so everybody who reaches the ingress could do everything. %s, or set ingress.enabled=false." $setting $remedy) -}}
  {{- end -}}
  {{- range $component, $type := $types -}}
    {{- if and (ne $type "ClusterIP") (or $v.embedded.enabled (eq $component $name)) -}}
      {{- $problems = append $problems (printf "%s and %s.service.type is %s, so everybody who reaches the service could do everything. %s, or set the type to ClusterIP." $setting $component $type $remedy) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}

{{- if and $v.embedded.enabled (or $v.backup.enabled $v.fsck.enabled) -}}
  {{- $problems = append $problems "backup.enabled and fsck.enabled need MongoDB, because only one process at a time can use a data folder. Set them to false and take snapshots of the volume (docs/backup.md)." -}}
{{- end -}}

{{- with $v.admission -}}
{{- if .enabled -}}
  {{- if not .policies -}}
    {{- $problems = append $problems "admission.enabled is true, but there is no policy. Set one with --set-file admission.policies.release=release.yaml." -}}
  {{- end -}}
  {{- range $name, $_ := .policies -}}
    {{- if not (regexMatch "^[a-z0-9]([-a-z0-9]{0,40}[a-z0-9])?$" $name) -}}
      {{- $problems = append $problems (printf "admission.policies has the name %q, which is no label of a namespace. Use up to 42 lower-case letters, digits and hyphens." $name) -}}
    {{- end -}}
  {{- end -}}
  {{- if and (ne $auth.mode "disabled") (not .existingTokenSecret) -}}
    {{- $problems = append $problems "admission.enabled is true, but the webhook has no token for the integrity service. Name a Secret with the key token in admission.existingTokenSecret." -}}
  {{- end -}}
  {{- if and .certificate.existingSecret (not .certificate.caBundle) (not .annotations) -}}
    {{- $problems = append $problems "admission.certificate.existingSecret is set, but API servers do not know the authority of that certificate. Set it with --set-file admission.certificate.caBundle=ca.crt, or let cert-manager set it with admission.annotations." -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{- $problems = concat $problems (include "cairn.settingProblems" . | fromJsonArray) -}}

{{- if $problems -}}
{{- fail (printf "\n- %s\n" (join "\n- " $problems)) -}}
{{- end -}}
{{- end -}}
