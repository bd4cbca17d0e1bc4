import { Duration, Validations } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  HttpVersion,
  OriginRequestPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { type FirewallSettings, resourceName, type StageSettings } from '../stage.ts';

/** As in `shared/domain/teams/caller-address.ts`, which a test compares. */
export const firewallHeader = 'x-origin-verify';
/** Requests a minute of an address: what a team may make with all its keys, so that our own limits come first. */
export const floodLimit = 60_000;

/** The answers of an origin that CloudFront keeps also where it caches nothing else. */
const errors = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/**
 * Adds the firewall: a CloudFront distribution with a web ACL before the HTTP API. Returns what the functions need to
 * know who came through it.
 */
export function addFirewall(
  scope: Construct,
  { stage, apiHost, firewall }: { stage: StageSettings; apiHost: string; firewall: FirewallSettings },
): { domainName: string; environment: Record<string, string> } {
  const secret = new Secret(scope, 'FirewallSecret', {
    description: `Mailwright ${stage.name}: shows the API that a request came through the firewall.`,
    generateSecretString: { excludePunctuation: true, passwordLength: 64 },
  });
  // A dynamic reference, which CloudFormation resolves: the templates do not hold the secret.
  const value = secret.secretValue.unsafeUnwrap();
  const distribution = new Distribution(scope, 'Firewall', {
    comment: resourceName(stage, 'firewall'),
    domainNames: [firewall.domainName],
    certificate: Certificate.fromCertificateArn(scope, 'FirewallCertificate', firewall.certificate),
    minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
    httpVersion: HttpVersion.HTTP2_AND_3,
    webAclId: firewall.webAcl ?? addWebAcl(scope, stage),
    defaultBehavior: {
      // CloudFront replaces what a caller sends under this name.
      origin: new HttpOrigin(apiHost, { customHeaders: { [firewallHeader]: value } }),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      compress: false,
    },
    // An error would be kept for ten seconds, and shown to every team that asks for the same path.
    errorResponses: errors.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
  });
  Validations.of(secret).acknowledge({
    id: 'AwsSolutions-SMG4',
    reason: 'CloudFormation resolves it for the distribution and the functions together: a rotation would part them.',
  });
  Validations.of(distribution).acknowledge(
    { id: 'AwsSolutions-CFR1', reason: 'Subscribers are in all countries, and may unsubscribe from each.' },
    {
      id: 'AwsSolutions-CFR3',
      reason: 'Its log would hold paths, and they hold unsubscribe tokens; the API has its own.',
    },
  );
  const { domainName } = distribution;
  return { domainName, environment: { FIREWALL_SECRET: value, FIREWALL_OPEN: String(firewall.open) } };
}

/** Whoever has a link of a mail may unsubscribe, from every address and however many share it. */
const noUnsubscribing: CfnWebACL.StatementProperty = {
  notStatement: {
    statement: {
      byteMatchStatement: {
        fieldToMatch: { uriPath: {} },
        positionalConstraint: 'STARTS_WITH',
        searchString: '/unsubscribe/',
        textTransformations: [{ priority: 0, type: 'NONE' }],
      },
    },
  },
};

/** Adds the web ACL; returns its ARN. */
function addWebAcl(scope: Construct, stage: StageSettings): string {
  const seen = (name: string) => ({
    sampledRequestsEnabled: false,
    cloudWatchMetricsEnabled: true,
    metricName: resourceName(stage, name),
  });
  const managed = (name: string) => ({
    managedRuleGroupStatement: { vendorName: 'AWS', name, scopeDownStatement: noUnsubscribing },
  });
  const rules: Omit<CfnWebACL.RuleProperty, 'priority' | 'visibilityConfig'>[] = [
    {
      name: 'flood',
      action: { block: {} },
      statement: {
        rateBasedStatement: {
          aggregateKeyType: 'IP',
          evaluationWindowSec: 60,
          limit: floodLimit,
          scopeDownStatement: noUnsubscribing,
        },
      },
    },
    { name: 'reputation', overrideAction: { none: {} }, statement: managed('AWSManagedRulesAmazonIpReputationList') },
    // It takes the HTML of templates for attacks.
    { name: 'common', overrideAction: { count: {} }, statement: managed('AWSManagedRulesCommonRuleSet') },
  ];
  const acl = new CfnWebACL(scope, 'WebAcl', {
    name: resourceName(stage, 'firewall'),
    scope: 'CLOUDFRONT',
    defaultAction: { allow: {} },
    visibilityConfig: seen('firewall'),
    rules: rules.map((rule, priority) => ({ ...rule, priority, visibilityConfig: seen(rule.name) })),
  });
  return acl.attrArn;
}
