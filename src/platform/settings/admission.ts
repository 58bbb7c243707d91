import { choice, httpUrl, imagePrefixes, integer, text, wait } from './kinds.ts';
import { optional, required } from './setting.ts';

/** The settings of `cairn serve admission`. */
export const admissionSettingTable = {
  admissionPort: required('CAIRN_ADMISSION_PORT', integer(0, 65_535), '8443').about(
    'Port of the webhook, on the address CAIRN_HOST, over HTTPS. 0 picks a free port.',
  ),
  admissionCertFile: optional('CAIRN_ADMISSION_CERT_FILE', text).about(
    'Certificate chain of the webhook, in PEM. It must be valid for the name by which the API server calls, such as cairn-admission.cairn.svc. It is read again when it changes.',
  ),
  admissionKeyFile: optional('CAIRN_ADMISSION_KEY_FILE', text).about(
    'Private key of that certificate, in PEM.',
  ),
  admissionServiceUrl: optional('CAIRN_ADMISSION_SERVICE_URL', httpUrl).about(
    'URL of the integrity service that checks images. Over plain http everybody on the network in between can read the token and change the answers.',
  ),
  admissionTokenFile: optional('CAIRN_ADMISSION_TOKEN_FILE', text).about(
    'File with the bearer token for that service. It is read for each question, so it may be replaced at any time. Default: no token.',
  ),
  admissionPoliciesDir: optional('CAIRN_ADMISSION_POLICIES_DIR', text).about(
    'Folder of the policies, <name>.yaml. They are read at the start.',
  ),
  admissionFailurePolicy: required('CAIRN_ADMISSION_FAILURE_POLICY', choice('Fail', 'Ignore'), 'Fail').about(
    'What becomes of pods whose images cannot be checked, for example because the service is away. Fail: they are refused where the mode is enforce. Ignore: they are admitted with a warning.',
  ),
  admissionExemptImages: optional('CAIRN_ADMISSION_EXEMPT_IMAGES', imagePrefixes).about(
    'Images that are admitted without a check: registries, folders and repositories as pods write them, separated by commas, such as registry.k8s.io/,docker.io/istio/proxyv2.',
  ),
  admissionTimeout: required('CAIRN_ADMISSION_TIMEOUT', wait, '5s').about(
    'How long the check of an image may take. Keep it below timeoutSeconds of the webhook.',
  ),
};
