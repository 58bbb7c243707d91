{{/* The Secrets that the chart makes, by group. Groups with an existing Secret are left out. */}}
{{- define "cairn.secretGroups" -}}
{{- $v := .Values -}}
{{- $idp := $v.controlPlane.auth.idp -}}
{{- $keys := $v.existingSecrets.keys -}}
{{- $all := dict
  "connections" (dict $keys.mongodbURL $v.connections.mongodbURL $keys.redisURL $v.connections.redisURL)
  "signingKey" (dict $keys.signingKey $v.signingKey)
  "logKey" (dict $keys.logKey $v.logKey)
  "controlPlaneAuth" (dict
    $keys.stateSecret $idp.stateSecret
    $keys.registrationTokenSecret $v.controlPlane.auth.registrationTokenSecret
    $keys.idpClientID $idp.clientID
    $keys.idpClientSecret $idp.clientSecret
    $keys.gatewaySecret $v.controlPlane.gatewaySecret) -}}
{{- $made := dict -}}
{{- range $group, $values := $all -}}
{{- $given := dict -}}
{{- range $key, $value := $values -}}{{- if $value -}}{{- $_ := set $given $key $value -}}{{- end -}}{{- end -}}
{{- if and $given (not (index $v.existingSecrets $group)) -}}{{- $_ := set $made $group $given -}}{{- end -}}
{{- end -}}
{{- toJson $made -}}
{{- end -}}

{{- define "cairn.ownSecrets" -}}
{{- $root := . -}}
{{- range $group, $values := include "cairn.secretGroups" . | fromJson }}
---
apiVersion: v1
kind: Secret
metadata:
  name: {{ include "cairn.secret" (dict "root" $root "group" $group) }}
  labels:
    {{- include "cairn.labels" $root | nindent 4 }}
type: Opaque
stringData:
  {{- toYaml $values | nindent 2 }}
{{- end }}
{{- end -}}
