// The CDK app, run by `npx cdk synth|diff|deploy` and by the local stack. CDK_VALIDATION=false skips cdk-nag, and
// CDK_BUNDLES=built takes the bundles that are there.
import { App, Validations } from 'aws-cdk-lib';
import { addMailwright } from '../lib/mailwright.ts';
import { buildFunctions } from './build.ts';

if (process.env.CDK_BUNDLES !== 'built') await buildFunctions();
const app = new App({
  outdir: process.env.CDK_OUTDIR ?? 'cdk.out',
  analyticsReporting: false,
  // The region of `cdk`'s credentials; absent where it is not run by it.
  context: { region: process.env.CDK_DEFAULT_REGION },
});
addMailwright(app);
if (process.env.CDK_VALIDATION !== 'false') {
  const { AwsSolutionsChecks } = await import('cdk-nag');
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}
app.synth();
