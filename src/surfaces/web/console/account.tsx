import { type ApiToken, issueAccountToken, listAccountTokens, revokeAccountToken } from '../../../domains/access/api-tokens.ts'
import { type ClientApiAccount, getClientApiAccount, canChangeApiAccount } from '../../../domains/access/client-accounts.ts'
import { liftOtpSuspension, setApiAccountActive, updateApiAccount } from '../../../domains/access/client-account-edits.ts'
import { count, email, name, object } from '../../../kernel/args.ts'
import type { ClientContext } from '../../../kernel/context.ts'
import { renderContentPage } from '../components/page.tsx'
import { Card, DescriptionList, Notice, TimestampText } from '../components/parts.tsx'
import { catchFormErrors, validateFormFields, type FormErrors } from '../fields.ts'
import { passSecretToPage, takeSecretForPage } from '../one-time-secrets.ts'
import { getCsrfToken, type FormValues, type WebServices, type WebContext } from '../web.ts'
import { AccountActivationCard, EditAccountCard, IssueTokenCard, NewTokenCard, SuspensionCard, TokensCard } from './account-cards.tsx'
import { getApiAccountFieldLabel } from './account-form.tsx'
import { AccountStatusDot, formatApiAccountEvents, API_ACCOUNT_PURPOSE_LABELS } from './accounts.tsx'
import { type ConfirmQuestion, sendConfirmPage, isConfirmed } from './confirm-page.tsx'
import { getClientPageContext, type ClientPageContext, getClientPageContextForChange } from './client-page.ts'
import { runClientChange, createConsoleRouter, requireConsoleForm, sendConsolePage } from './frame.tsx'
import { getNavigationPosition } from './navigation.ts'

const Edit = object({ name: name(120), contactEmail: email().optional(), rateLimitPerMinute: count(1, 6000) })
const LIFETIMES = new Set(['30', '90', '365'])

const AccountFacts = ({ account }: { account: ClientApiAccount }) => (
  <DescriptionList
    rows={[
      ['Status', <AccountStatusDot account={account} />],
      ['Purpose', API_ACCOUNT_PURPOSE_LABELS[account.purpose]],
      ['Covers', account.wholeClient ? formatApiAccountEvents(account) : account.events.join(', ')],
      ...(account.alsoCovers.length > 0 ? [['Also covers', account.alsoCovers.join(', ')] as [string, string]] : []),
      ['Contact', account.contactEmail ?? 'not given'],
      ['Rate limit', `${account.rateLimitPerMinute} requests per minute (REST)`],
      ['Last used', <TimestampText at={account.lastUsedAt} />],
      ['Created', <TimestampText at={account.createdAt} />],
    ]}
  />
)

const REVOKE_QUESTION = {
  title: 'Revoke this token?',
  text: 'Programs that use this token lose access immediately. You cannot undo this, but you can issue a new token.',
  button: 'Revoke',
}

const DEACTIVATE_QUESTION = {
  title: 'Deactivate this account?',
  text: 'All tokens and sessions of this account stop working immediately, until you activate it again.',
  button: 'Deactivate',
}

/** `/console/clients/:code/accounts/:account`: one API account and its tokens. */
export function apiAccountDetailPages(web: WebServices) {
  const path = '/console/clients/:code/accounts/:account{[0-9a-f]{24}}'
  const accountId = (c: WebContext) => c.req.param('account') ?? ''

  async function page(c: WebContext, at: ClientPageContext, typed: FormValues | null = null, formErrors: FormErrors | null = null) {
    const account = await getClientApiAccount(at.reading, accountId(c))
    const tokens: ApiToken[] = await listAccountTokens(at.reading, account.id)
    const token = takeSecretForPage(web, c, account.id)
    const view = { account, csrf: getCsrfToken(web, c), here: `${at.base}/accounts/${account.id}` }
    const mayChange = at.mayChange && canChangeApiAccount(at.reading, account)
    const form = typed ?? {
      name: account.name,
      contactEmail: account.contactEmail ?? '',
      rateLimitPerMinute: String(account.rateLimitPerMinute),
    }
    const head = {
      title: account.name,
      text: `API account of ${at.client.name}`,
      crumbs: [{ href: `${at.base}/accounts`, label: 'API accounts' }],
    }
    const shown = renderContentPage(
      { ...head, formErrors },
      <>
        {token ? <NewTokenCard token={token} baseUrl={web.services.baseUrl} account={account} /> : null}
        {at.mayChange && !mayChange ? (
          <Notice>This account also covers {account.alsoCovers.join(', ')}. Only administrators of all of them can change it.</Notice>
        ) : null}
        <SuspensionCard {...view} mayChange={mayChange} />
        <Card>
          <AccountFacts account={account} />
        </Card>
        <TokensCard {...view} tokens={tokens} mayChange={mayChange} />
        {mayChange ? (
          <>
            {account.active ? <IssueTokenCard {...view} /> : null}
            <EditAccountCard {...view} form={form} formErrors={formErrors} />
            <AccountActivationCard {...view} />
          </>
        ) : null}
      </>,
    )
    return sendConsolePage(web, c, getNavigationPosition(at, 'accounts'), shown)
  }

  /** Builds the handler of a form that changes the API account. Errors are shown on the account's page with the submitted values. */
  const changing =
    (
      action: string,
      done: string,
      run: (ctx: ClientContext, c: WebContext, form: FormValues) => Promise<unknown>,
      ask?: (form: FormValues) => ConfirmQuestion | null,
    ) =>
    async (c: WebContext) => {
      const form = await requireConsoleForm(web, c)
      const at = getClientPageContextForChange(web, c)
      const question = isConfirmed(form) ? null : ask?.(form)
      if (question)
        return sendConfirmPage(web, c, form, {
          ...question,
          ...getNavigationPosition(at, 'accounts'),
          back: `${at.base}/accounts/${accountId(c)}`,
        })
      const change = () => runClientChange(web, at.session, { client: at.client, action }, (ctx) => run(ctx, c, form))
      const formErrors = await catchFormErrors(change, getApiAccountFieldLabel)
      if (formErrors) return page(c, at, null, formErrors)
      return c.redirect(`${at.base}/accounts/${accountId(c)}?done=${done}`, 303)
    }

  return createConsoleRouter(web)
    .get(path, (c) => page(c, getClientPageContext(web, c)))
    .post(path, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = getClientPageContextForChange(web, c)
      const given = {
        name: form['name'] || undefined,
        contactEmail: form['contactEmail']?.trim() || undefined,
        rateLimitPerMinute: form['rateLimitPerMinute'] ? Number(form['rateLimitPerMinute']) : Number.NaN,
      }
      const read = validateFormFields(Edit, given, getApiAccountFieldLabel)
      if ('errors' in read) return page(c, at, form, read)
      const edit = { ...read.data, contactEmail: read.data.contactEmail ?? null }
      await runClientChange(web, at.session, { client: at.client, action: 'update_api_account' }, (ctx) =>
        updateApiAccount(ctx, accountId(c), edit),
      )
      return c.redirect(`${at.base}/accounts/${accountId(c)}?done=saved`, 303)
    })
    .post(`${path}/tokens`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = getClientPageContextForChange(web, c)
      const lifetimeDays = LIFETIMES.has(form['lifetime'] ?? '') ? Number(form['lifetime']) : undefined
      const token = await runClientChange(web, at.session, { client: at.client, action: 'issue_api_token' }, (ctx) =>
        issueAccountToken(ctx, accountId(c), { lifetimeDays }),
      )
      passSecretToPage(web, c, accountId(c), token)
      return c.redirect(`${at.base}/accounts/${accountId(c)}`, 303)
    })
    .post(
      `${path}/tokens/revoke`,
      changing(
        'revoke_api_token',
        'revoked',
        (ctx, c, form) => revokeAccountToken(ctx, accountId(c), form['token'] ?? ''),
        () => REVOKE_QUESTION,
      ),
    )
    .post(
      `${path}/active`,
      changing(
        'update_api_account',
        'saved',
        (ctx, c, form) => setApiAccountActive(ctx, accountId(c), form['active'] === 'yes'),
        (form) => (form['active'] === 'yes' ? null : DEACTIVATE_QUESTION),
      ),
    )
    .post(
      `${path}/lift`,
      changing('lift_otp_suspension', 'saved', (ctx, c) => liftOtpSuspension(ctx, accountId(c))),
    )
}
