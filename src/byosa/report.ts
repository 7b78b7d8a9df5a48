// The report of a validation: what failed, whose turn it is, and what to do. The web app has its own texts by stage.
import type { App } from '../core/context.ts';
import { FEDERATION_PATH, identityOf } from './access.ts';
import type { ProbeFailure } from './probe.ts';
import type { ValidationReport } from './schema.ts';
import type { RequestRow } from './store.ts';

type Subject = Pick<RequestRow, 'organizationId' | 'account' | 'container' | 'authentication'>;

const SUPPORT = 'Ask the operator of this server for help and pass on the detail below.';
const ROLES =
  'Give the application the roles Storage Blob Data Contributor on the container and Storage Blob Delegator on the storage ' +
  'account. Azure needs up to ten minutes to apply them.';
const AGAIN = 'Check again.';

/** Returns the report. Without a failure, all fields but `success` are empty. */
export function toReport(
  app: Pick<App, 'config'>,
  subject: Subject,
  failure: ProbeFailure | undefined,
): ValidationReport {
  if (failure === undefined) {
    return {
      success: true,
      failure_stage: null,
      responsibility: null,
      summary: null,
      remediation: [],
      docs_url: null,
      failure_detail: null,
    };
  }
  const { summary, remediation } = explain(app, subject, failure);
  return {
    success: false,
    failure_stage: failure.stage,
    responsibility: failure.responsibility,
    summary,
    remediation: [...remediation],
    docs_url: `${app.config.server.base_url}/docs/storage.html#own-azure-containers`,
    failure_detail: failure.detail,
  };
}

type Explanation = { summary: string; remediation: readonly string[] };

function explain(app: Pick<App, 'config'>, subject: Subject, { stage, responsibility }: ProbeFailure): Explanation {
  const isCustomer = responsibility === 'customer';
  const { account, container, authentication, organizationId } = subject;
  const { issuer, subject: name, audience } = identityOf(app, organizationId);
  switch (stage) {
    case 'token_exchange':
      if (!isCustomer) {
        return {
          summary: 'No token from Microsoft Entra ID',
          remediation: [
            `The operator of this server makes sure that Microsoft Entra ID responds to it, that its clock is right, and that ${app.config.server.base_url}${FEDERATION_PATH} can be read from the internet.`,
            AGAIN,
          ],
        };
      }
      return {
        summary: 'Microsoft Entra ID rejects the application',
        remediation: [
          'Compare the tenant id and the client id with those of the application.',
          authentication === 'federation'
            ? `Add a federated credential to the application: issuer ${issuer}, subject ${name}, audience ${audience}.`
            : 'Create a new client secret for the application, and send a new request with it.',
          AGAIN,
        ],
      };
    case 'container_check':
      if (!isCustomer) return temporary('The storage account');
      return {
        summary: "The application can't use the storage account",
        remediation: [
          `Make sure that the storage account ${account} exists and that its firewall admits this server and the phones of testers.`,
          ROLES,
          AGAIN,
        ],
      };
    case 'container_not_found':
      return {
        summary: "The container doesn't exist",
        remediation: [
          `Create the container ${container} in the storage account ${account}, or send a new request with the right name.`,
          AGAIN,
        ],
      };
    case 'put_marker':
    case 'delete_marker':
    case 'list_container': {
      if (!isCustomer) return temporary('The container');
      const verbs = { put_marker: 'write', delete_marker: 'delete', list_container: 'list' } as const;
      const policy =
        stage === 'list_container' ? [] : ['Remove immutability policies and legal holds from the container.'];
      return {
        summary: `The application can't ${verbs[stage]} blobs in the container`,
        remediation: [ROLES, ...policy, AGAIN],
      };
    }
    case 'soft_delete_residue':
      return {
        summary: 'Deleted blobs stay in the container',
        remediation: [
          `Turn off soft delete for blobs and versioning in the storage account ${account}, so that deleted builds are really gone.`,
          AGAIN,
        ],
      };
  }
}

function temporary(what: string): Explanation {
  return { summary: `${what} doesn't respond`, remediation: ['Check again in a few minutes.', SUPPORT] };
}
