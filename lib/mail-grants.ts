import type { ConfigurationSet } from 'aws-cdk-lib/aws-ses';
import { allow, arnOf, type Grant, wildcard } from './grants.ts';
import type { StageSettings } from './stage.ts';

const identities = 'ses:identity/*';
const templates = 'ses:template/*';
const anyIdentity = wildcard(identities, 'Teams add their sending domains at run time.');

/** Send batches of messages through the configuration set that tracks opens and clicks. */
export function sendBulkMail(configurationSet: ConfigurationSet): Grant {
  const through = `ses:configuration-set/${configurationSet.configurationSetName}`;
  return {
    statements: [
      allow([identities, templates, through].map(arnOf), ['ses:SendBulkEmail', 'ses:SendBulkTemplatedEmail']),
    ],
    environment: { CONFIGURATION_SET: configurationSet.configurationSetName },
    wildcards: [
      anyIdentity,
      wildcard(templates, 'SES checks SendBulkEmail against a template resource, and an inline template has no name.'),
    ],
  };
}

/** Send one message at a time through the configuration set that does not track. */
export function sendDirectMail(configurationSet: ConfigurationSet): Grant {
  const through = `ses:configuration-set/${configurationSet.configurationSetName}`;
  return {
    statements: [allow([identities, through].map(arnOf), ['ses:SendEmail'])],
    environment: { DIRECT_CONFIGURATION_SET: configurationSet.configurationSetName },
    wildcards: [anyIdentity],
  };
}

/** Read the SES account's quota, rate and sandbox state. */
export function readSendingAccount(): Grant {
  return {
    statements: [allow(['*'], ['ses:GetAccount'])],
    wildcards: [wildcard('*', 'The account itself is what ses:GetAccount reads; it has no ARN.')],
  };
}

/** Read whether a team's sending domain is verified. */
export function readSendingDomains(): Grant {
  return onIdentities('ses:GetEmailIdentity');
}

/** Add a sending domain, tagged with the stage. */
export function addSendingDomains({ name }: StageSettings): Grant {
  const added = onIdentities(
    'ses:CreateEmailIdentity',
    'ses:TagResource',
    'ses:PutEmailIdentityMailFromAttributes',
    'ses:PutEmailIdentityFeedbackAttributes',
  );
  return { ...added, environment: { STAGE: name } };
}

/** Remove a sending domain that the stage has added. */
export function removeSendingDomains({ name }: StageSettings): Grant {
  const removal = allow([arnOf(identities)], ['ses:DeleteEmailIdentity']);
  removal.addCondition('StringEquals', { 'aws:ResourceTag/mailwright:stage': name });
  return { statements: [removal], wildcards: [anyIdentity], environment: { STAGE: name } };
}

/** See and lift what SES itself suppresses. */
export function handleSuppressedDestinations(): Grant {
  return {
    statements: [allow(['*'], ['ses:GetSuppressedDestination', 'ses:DeleteSuppressedDestination'])],
    wildcards: [wildcard('*', "The account's suppression list has no ARN.")],
  };
}

function onIdentities(...actions: string[]): Grant {
  return { statements: [allow([arnOf(identities)], actions)], wildcards: [anyIdentity] };
}
