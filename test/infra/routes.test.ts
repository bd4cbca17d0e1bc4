import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { catalogue, pages } from '../../functions/catalogue.ts';
import { type Resource, Synthesized } from './synthesized.ts';

const app = await Synthesized.stage('dev');

/** Each route key with the function that serves it. */
const served = app.all('AWS::ApiGatewayV2::Route').map((route): [string, Resource] => {
  const integration = app.target({ Ref: app.text(route.properties.Target).replace('integrations/', '') });
  return [route.properties.RouteKey, app.target(integration.properties.IntegrationUri)];
});

const expected = new Map([
  ...Object.entries(catalogue).flatMap(([folder, endpoints]) =>
    Object.values(endpoints).map(({ path }): [string, string] => [`ANY /v1${path}`, folder]),
  ),
  ...pages.map(({ path }): [string, string] => [`ANY ${path}`, 'pages']),
  ['$default', 'fallback'],
]);

test('routes every path of the catalogue explicitly to the function of its folder', () => {
  expect(served.map(([key, lambda]) => [key, app.functionName(lambda)]).sort()).toEqual([...expected].sort());
});

test('has every folder of functions in the catalogue, except pages, fallback and workers', () => {
  const folders = globSync('functions/*/index.ts').map((path) => path.split('/')[1]);
  expect(folders.sort()).toEqual([...Object.keys(catalogue), 'pages', 'fallback'].sort());
});

test('allows API Gateway to invoke every function that has a route', () => {
  const invocable = app
    .all('AWS::Lambda::Permission')
    .filter(({ properties }) => properties.Principal === 'apigateway.amazonaws.com')
    .map(({ properties }) => app.target(properties.FunctionName).id);
  expect(new Set(invocable)).toEqual(new Set(served.map(([, lambda]) => lambda.id)));
});

test('limits requests and logs routes, never paths, which contain addresses and tokens', () => {
  const [stage] = app.all('AWS::ApiGatewayV2::Stage');
  expect(stage?.properties).toMatchObject({ StageName: '$default', AutoDeploy: true });
  expect(stage?.properties.DefaultRouteSettings.ThrottlingRateLimit).toBeGreaterThan(0);
  expect(stage?.properties.AccessLogSettings.Format).toContain('$context.routeKey');
  expect(stage?.properties.AccessLogSettings.Format).not.toMatch(/\$context\.(path|http\.path|identity)/);
});
