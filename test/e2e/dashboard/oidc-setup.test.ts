// OpenID Connect set up in the dashboard: the URLs, the form with its errors, the test of the connection, and a sign-in.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { systemContext } from '../../../src/core/transact.ts';
import { verifyDomainByOperator } from '../../../src/sso/domains.ts';
import { type Issuer, startIssuer } from '../../sso/issuer.ts';
import { CLIENT_ID, claimsFor } from '../../sso/oidc-scenario.ts';
import { ssoPath } from '../../sso/scenario.ts';
import { openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let issuer: Issuer;
let visitor: Visitor;

beforeAll(async () => {
  issuer = await startIssuer('/tenant');
  scenario = await openScenario({});
});
afterAll(async () => {
  await scenario?.close();
  await issuer?.stop();
});
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
  visitor.expectRefusals(404, 400);
});
afterEach(() => visitor?.leave());

it('is set up, tested and used', async () => {
  const { fixture } = scenario;
  const { page, actions } = visitor;
  const base = `${scenario.origin}${ssoPath(fixture.organization_id)}`;
  await openSignedIn(scenario, visitor, '/settings/sso');
  await page.getByText('OpenID Connect', { exact: true }).click();
  await expect
    .poll(() => page.locator('.tw-facts code').allTextContents())
    .toEqual([`${base}/callback`, `${scenario.origin}/`, `${base}/backchannel-logout`]);
  await visitor.show('sso-oidc-empty');

  await page.getByLabel('Issuer').fill(`${issuer.name}/`);
  await page.getByLabel('Client ID').fill(CLIENT_ID);
  await page.getByLabel('Client secret', { exact: true }).fill('wrong');
  await actions.click('Save');
  await page.locator('[name="issuer"][aria-invalid="true"]').waitFor();
  await page.getByText(`its issuer is "${issuer.name}", enter exactly this`).waitFor();
  await visitor.show('sso-oidc-wrong');
  await page.getByLabel('Issuer').fill(issuer.name);
  await actions.click('Save');
  await page.getByText(issuer.name, { exact: true }).waitFor();

  await actions.click('Test connection');
  await page.getByText('The provider rejected the client ID or the client secret').waitFor();
  await actions.click('Replace');
  await page.getByText('Leave it empty to keep the current one.').waitFor();
  await page.getByLabel('Client secret', { exact: true }).fill(issuer.clientSecret);
  await actions.click('Save');
  await page.getByRole('button', { name: 'Replace' }).waitFor();
  await actions.click('Test connection');
  await expect.poll(() => page.getByText('Passed', { exact: true }).count()).toBe(3);
  await visitor.show('sso-oidc-tested');

  verifyDomainByOperator(systemContext(fixture.app), fixture.organization_id, 'example.test');
  await page.reload();
  await actions.click('Turn on');
  await page.getByText('No sign-ins yet.').waitFor();
  issuer.overrides.set('/authorize', async (response, request) => {
    const location = new URL(request.url ?? '', issuer.base);
    const started = { location: location.href, query: location.searchParams, cookie: '' };
    const code = issuer.issueCode(location.href, await issuer.sign(claimsFor(fixture, issuer, started)));
    const back = new URL(location.searchParams.get('redirect_uri') ?? '');
    back.search = new URLSearchParams({ code, state: location.searchParams.get('state') ?? '' }).toString();
    response.writeHead(302, { location: back.href }).end();
  });
  const other = await (await scenario.browser.newContext({ locale: 'en-GB' })).newPage();
  await other.goto(`${base}/login`);
  await other.getByRole('heading', { name: 'Home', exact: true }).waitFor();
  await page.getByText('Zoe signed in').waitFor();
  await visitor.show('sso-oidc-enabled');
});
