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

{{- range $name, $url := dict "integrity.auth.authServiceBaseURL" $auth.authServiceBaseURL "controlPlane.auth.bearer.authServiceBaseURL" $bearer.authServiceBaseURL -}}
  {{- if and (hasPrefix "http://" $url) (not (regexMatch "^http://[a-z0-9.-]+\\.svc(\\.cluster\\.local)?(:[0-9]+)?(/|$)" $url)) -}}
    {{- $problems = append $problems (printf "%s=%q is plain HTTP outside the cluster, so others could read tokens. Use https, or a name of the cluster such as http://auth.auth-namespace.svc:8080." $name $url) -}}
  {{- end -}}
{{- end -}}

{{- if $v.ingress.enabled -}}
  {{- if not $v.ingress.host -}}
    {{- $problems = append $problems "ingress.enabled is true. Set ingress.host to the name under which others reach Cairn." -}}
  {{- end -}}
  {{- if eq $auth.mode "disabled" -}}
    {{- $problems = append $problems "integrity.auth.mode is disabled and ingress.enabled is true, so everybody who reaches the ingress could do everything. Set integrity.auth.mode to oidc or auth_service, or set ingress.enabled=false." -}}
  {{- end -}}
  {{- if not $v.controlPlane.auth.enabled -}}
    {{- $problems = append $problems "controlPlane.auth.enabled is false and ingress.enabled is true, so everybody who reaches the ingress would be an administrator. Set controlPlane.auth.enabled=true, or set ingress.enabled=false." -}}
  {{- end -}}
{{- end -}}

{{- if $problems -}}
{{- fail (printf "\n- %s\n" (join "\n- " $problems)) -}}
{{- end -}}
{{- end -}}
