import { expect, test } from 'vitest';
import { firewallHeader, floodLimit } from '../../lib/access/firewall.ts';
import * as callers from '../../shared/domain/teams/caller-address.ts';
import { plans, teamRequestsFactor } from '../../shared/domain/teams/plans.ts';
import { Synthesized } from './synthesized.ts';

const options = {
  firewall: 'true',
  baseUrl: 'https://mail.example.com/',
  firewallCertificate: 'arn:aws:acm:us-east-1:111122223333:certificate/0a1b',
};
const firewallAcl = 'arn:aws:wafv2:us-east-1:111122223333:global/webacl/ours/0a1b';
const app = await Synthesized.stage('prod', undefined, options);
const [distribution] = app.all('AWS::CloudFront::Distribution');
const config = distribution!.properties.DistributionConfig;
const [secret] = app.all('AWS::SecretsManager::Secret');
const resolved = `{{resolve:secretsmanager:${secret!.id}:SecretString:::}}`;

test('the firewall answers at the name of the API, over TLS 1.2 alone, before the HTTP API', () => {
  expect(config.Aliases).toEqual(['mail.example.com']);
  expect(config.ViewerCertificate).toMatchObject({
    AcmCertificateArn: options.firewallCertificate,
    MinimumProtocolVersion: 'TLSv1.2_2021',
  });
  const [api] = app.all('AWS::ApiGatewayV2::Api');
  expect(app.text(config.Origins[0].DomainName)).toBe(`${api!.id}.execute-api.AWS::Region.amazonaws.com`);
});

test('it keeps no answer, also none of an error, and forwards everything but the name of the host', () => {
  const { CachePolicyId, OriginRequestPolicyId, AllowedMethods, ViewerProtocolPolicy } = config.DefaultCacheBehavior;
  // CloudFront's managed policies CachingDisabled and AllViewerExceptHostHeader.
  expect(CachePolicyId).toBe('4135ea2d-6df8-44a3-9df3-4b5a84be39ad');
  expect(OriginRequestPolicyId).toBe('b689b0a8-53d0-40ab-baf2-68738e2966ac');
  expect(AllowedMethods).toHaveLength(7);
  expect(ViewerProtocolPolicy).toBe('https-only');
  const errors = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];
  expect(config.CustomErrorResponses).toEqual(errors.map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })));
});

test('it shows every function of the API a secret that no template holds, and no other function knows', () => {
  expect(firewallHeader).toBe(callers.firewallHeader);
  const [{ HeaderName, HeaderValue }, ...others] = config.Origins[0].OriginCustomHeaders;
  expect([HeaderName, app.text(HeaderValue), others]).toEqual([firewallHeader, resolved, []]);
  expect(secret!.properties.GenerateSecretString.PasswordLength).toBe(64);
  for (const [stack, resources] of Object.entries(app.stacks))
    for (const { id, type, properties } of resources)
      if (type === 'AWS::Lambda::Function') {
        const value = properties.Environment.Variables.FIREWALL_SECRET;
        expect(value && app.text(value), id).toBe(stack === 'Api' ? resolved : undefined);
      }
});

test('its rules block floods and addresses of bad reputation, and nobody who unsubscribes', () => {
  const [acl] = app.all('AWS::WAFv2::WebACL');
  expect(app.text(config.WebACLId)).toBe(acl!.id);
  const { Rules, DefaultAction, Scope } = acl!.properties;
  expect([DefaultAction, Scope]).toEqual([{ Allow: {} }, 'CLOUDFRONT']);
  expect(floodLimit).toBe(plans.enterprise.requestsPerMinute * teamRequestsFactor);
  const found = Rules.map(({ Action, OverrideAction, Statement }: Rule) => {
    const { RateBasedStatement: rate, ManagedRuleGroupStatement: managed } = Statement;
    const { ScopeDownStatement } = (rate ?? managed)!;
    const { SearchString, PositionalConstraint } = ScopeDownStatement.NotStatement.Statement.ByteMatchStatement;
    return [rate?.Limit ?? managed?.Name, Action ?? OverrideAction, PositionalConstraint, SearchString];
  });
  expect(found).toEqual([
    [floodLimit, { Block: {} }, 'STARTS_WITH', '/unsubscribe/'],
    ['AWSManagedRulesAmazonIpReputationList', { None: {} }, 'STARTS_WITH', '/unsubscribe/'],
    ['AWSManagedRulesCommonRuleSet', { Count: {} }, 'STARTS_WITH', '/unsubscribe/'],
  ]);
});

test('elsewhere than in us-east-1 it takes the web ACL that it is given, and makes none', async () => {
  const stage = await Synthesized.stage('prod', undefined, { ...options, firewallAcl, region: 'eu-west-1' });
  expect(stage.all('AWS::WAFv2::WebACL')).toEqual([]);
  expect(stage.all('AWS::CloudFront::Distribution')[0]!.properties.DistributionConfig.WebACLId).toBe(firewallAcl);
});

test('it comes and goes with the functions that believe it: only their stack has it, and exports nothing', async () => {
  const plain = await Synthesized.stage('prod', undefined, { baseUrl: options.baseUrl });
  const types = ['AWS::CloudFront::Distribution', 'AWS::WAFv2::WebACL', 'AWS::SecretsManager::Secret'];
  expect(types.flatMap((type) => plain.all(type))).toEqual([]);
  expect(app.stacks.Api!.filter(({ type }) => types.includes(type))).toHaveLength(3);
  const others = ({ Data, Pipeline }: Synthesized['stacks']) => [Data, Pipeline];
  expect(others(app.stacks)).toEqual(others(plain.stacks));
});

test.each([
  [{ firewall: 'on' }, 'firewall must be true, open or false'],
  [{ baseUrl: '' }, 'give baseUrl (https, no port) and firewallCertificate'],
  [{ baseUrl: 'https://mail.example.com:8443' }, 'give baseUrl (https, no port) and firewallCertificate'],
  [{ firewallCertificate: '' }, 'give baseUrl (https, no port) and firewallCertificate'],
  [
    { firewallCertificate: 'arn:aws:acm:eu-west-1:111122223333:certificate/0a1b' },
    'not the ARN of a certificate in us',
  ],
  [{ firewallAcl: 'arn:aws:wafv2:eu-west-1:111122223333:regional/webacl/ours/0a1b' }, 'not the ARN of a web ACL'],
  [{ region: 'eu-west-1' }, 'AWS has web ACLs of CloudFront in us-east-1 only'],
])('is refused with %o', async (wrong, message) => {
  await expect(Synthesized.stage('prod', undefined, { ...options, ...wrong })).rejects.toThrow(message);
});

interface Statement {
  Limit?: number;
  Name?: string;
  ScopeDownStatement: {
    NotStatement: { Statement: { ByteMatchStatement: { SearchString: string; PositionalConstraint: string } } };
  };
}

interface Rule {
  Action?: object;
  OverrideAction?: object;
  Statement: { RateBasedStatement?: Statement; ManagedRuleGroupStatement?: Statement };
}
