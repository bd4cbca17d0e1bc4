/** An environment variable of the deployed function; throws with its name when it is missing. */
function required(name: string): string {
  const value = process.env[name];
  if (!value)
    throw new Error(`The environment variable ${name} is missing: the function's definition in lib/ must set it.`);
  return value;
}

/** The environment, read lazily so that importing a module never needs it. */
export const config = {
  get tableName() {
    return required('TABLE_NAME');
  },
  /** The API's address without `/v1` and without a trailing slash. */
  get baseUrl() {
    return required('BASE_URL');
  },
  /** What requests through the firewall bear; undefined where the installation has none. */
  get firewallSecret() {
    return process.env.FIREWALL_SECRET || undefined;
  },
  /** Whether the API is also called round the firewall, while clients move. */
  get firewallOpen() {
    return process.env.FIREWALL_OPEN === 'true';
  },
  /** The name of the installation: what it makes in SES, which the account's installations share, bears it. */
  get stage() {
    return required('STAGE');
  },
  /** The KMS key that wraps the data keys of secrets. */
  get secretsKeyArn() {
    return required('SECRETS_KEY_ARN');
  },
  /** The function that runs; undefined outside of Lambda. */
  get functionName() {
    return process.env.AWS_LAMBDA_FUNCTION_NAME;
  },
  /** The region of the function and of SES. */
  get region() {
    return required('AWS_REGION');
  },
  get sendQueueUrl() {
    return required('SEND_QUEUE_URL');
  },
  get noticeQueueUrl() {
    return required('NOTICE_QUEUE_URL');
  },
  get jobQueueUrl() {
    return required('JOB_QUEUE_URL');
  },
  /** Our own bucket, into which warehouses unload. */
  get exportBucket() {
    return required('EXPORT_BUCKET');
  },
  get webhookQueueUrl() {
    return required('WEBHOOK_QUEUE_URL');
  },
  get webhookStateMachineArn() {
    return required('WEBHOOK_STATE_MACHINE_ARN');
  },
  /** Whether webhooks may call the machine that sends them: for development. */
  get webhookAllowLoopback() {
    return process.env.WEBHOOK_ALLOW_LOOPBACK === 'true';
  },
  /** Dead-letter queues and their queues, by name. */
  get redrives(): Readonly<Record<string, [deadLetters: string, queue: string]>> {
    return JSON.parse(required('REDRIVES'));
  },
  get sequenceQueueUrl() {
    return required('SEQUENCE_QUEUE_URL');
  },
  get campaignStateMachineArn() {
    return required('CAMPAIGN_STATE_MACHINE_ARN');
  },
  get configurationSet() {
    return required('CONFIGURATION_SET');
  },
  /** The configuration set without open and click tracking. */
  get directConfigurationSet() {
    return required('DIRECT_CONFIGURATION_SET');
  },
  /** The Bedrock model or inference profile of the AI tools; undefined where the installation has none. */
  get bedrockModelId() {
    return process.env.BEDROCK_MODEL_ID || undefined;
  },
};
