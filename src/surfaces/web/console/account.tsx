import { type ApiToken, issueAccountToken, listAccountTokens, revokeAccountToken } from '../../../domains/access/api-tokens.ts'
import { type ClientAccount, getClientAccount, mayChangeAccount } from '../../../domains/access/client-accounts.ts'
import { liftOtpSuspension, setAccountActive, updateAccount } from '../../../domains/access/client-account-edits.ts'
import { count, email, name, object } from '../../../kernel/args.ts'
import type { ClientContext } from '../../../kernel/context.ts'
import { ErrorSummary } from '../components/forms.tsx'
import { Heading } from '../components/layout.tsx'
import { Card, Facts, Notice, Time } from '../components/parts.tsx'
import { attempt, readFields, type Refused } from '../fields.ts'
import { handOver, takeOver } from '../shown-once.ts'
import { csrfFor, type FormValues, type Web, type WebContext } from '../web.ts'
import { ActiveCard, EditCard, IssueCard, NewToken, SuspensionCard, TokensCard } from './account-cards.tsx'
import { accountLabel } from './account-form.tsx'
import { AccountState, coverage, PURPOSE_WORDS } from './accounts.tsx'
import { askFirst, isSure } from './ask-first.tsx'
import { atClient, type AtClient, changingAt } from './at-client.ts'
import { changeAt, consolePages, formOf, frame } from './frame.tsx'

const Edit = object({ name: name(120), contactEmail: email().optional(), rateLimitPerMinute: count(1, 6000) })
const LIFETIMES = new Set(['30', '90', '365'])

const AccountFacts = ({ account }: { account: ClientAccount }) => (
  <Facts
    rows={[
      ['State', <AccountState account={account} />],
      ['For', PURPOSE_WORDS[account.purpose]],
      ['Covers', account.wholeClient ? coverage(account) : account.events.join(', ')],
      ...(account.alsoCovers.length > 0 ? [['Also covers', account.alsoCovers.join(', ')] as [string, string]] : []),
      ['Contact', account.contactEmail ?? 'not given'],
      ['Rate', `${account.rateLimitPerMinute} requests per minute (REST)`],
      ['Last used', <Time at={account.lastUsedAt} />],
      ['Created', <Time at={account.createdAt} />],
    ]}
  />
)

const REVOKING = {
  title: 'Revoke this token?',
  text: 'Programs that use it are refused from their next request on. It cannot be given back; a new one can be issued.',
  button: 'Revoke',
}

const DEACTIVATING = {
  title: 'Deactivate this account?',
  text: 'All its tokens are refused and its sessions end, from the next request on, until it is active again.',
  button: 'Deactivate',
}

/** `/console/clients/:code/accounts/:account`: one API account and its tokens. */
export function accountPage(web: Web) {
  const path = '/console/clients/:code/accounts/:account{[0-9a-f]{24}}'
  const accountId = (c: WebContext) => c.req.param('account') ?? ''

  async function page(c: WebContext, at: AtClient, typed: FormValues | null = null, refused: Refused | null = null) {
    const account = await getClientAccount(at.reading, accountId(c))
    const tokens: ApiToken[] = await listAccountTokens(at.reading, account.id)
    const token = takeOver(web, c, account.id)
    const view = { account, csrf: csrfFor(web, c), here: `${at.base}/accounts/${account.id}` }
    const mayChange = at.mayChange && mayChangeAccount(at.reading, account)
    const form = typed ?? {
      name: account.name,
      contactEmail: account.contactEmail ?? '',
      rateLimitPerMinute: String(account.rateLimitPerMinute),
    }
    return frame(
      web,
      c,
      { title: account.name, current: `${at.base}/accounts`, client: at.client, status: refused ? 400 : 200 },
      <>
        <Heading
          title={account.name}
          text={`API account ${account.id}`}
          crumbs={[{ href: `${at.base}/accounts`, label: 'API accounts' }]}
        />
        <ErrorSummary {...refused} />
        {token ? <NewToken token={token} baseUrl={web.road.baseUrl} account={account} /> : null}
        {at.mayChange && !mayChange ? (
          <Notice>It covers {account.alsoCovers.join(', ')} too. Changing it needs the clients.admin permission there as well.</Notice>
        ) : null}
        <SuspensionCard {...view} mayChange={mayChange} />
        <Card>
          <AccountFacts account={account} />
        </Card>
        <TokensCard {...view} tokens={tokens} mayChange={mayChange} />
        {mayChange ? (
          <>
            {account.active ? <IssueCard {...view} /> : null}
            <EditCard {...view} form={form} refused={refused ?? {}} />
            <ActiveCard {...view} />
          </>
        ) : null}
      </>,
    )
  }

  /** Makes the change and comes back to the account; a refusal is shown there with what was typed. */
  const changing =
    (
      action: string,
      done: string,
      run: (ctx: ClientContext, c: WebContext, form: FormValues) => Promise<unknown>,
      ask?: (form: FormValues) => { title: string; text: string; button: string } | null,
    ) =>
    async (c: WebContext) => {
      const form = await formOf(web, c)
      const at = changingAt(web, c)
      const question = isSure(form) ? null : ask?.(form)
      if (question) {
        const place = { back: `${at.base}/accounts/${accountId(c)}`, current: `${at.base}/accounts`, client: at.client }
        return askFirst(web, c, form, { ...question, ...place })
      }
      const change = () => changeAt(web, at.session, { client: at.client, action }, (ctx) => run(ctx, c, form))
      const refused = await attempt(change, accountLabel)
      if (refused) return page(c, at, null, refused)
      return c.redirect(`${at.base}/accounts/${accountId(c)}?done=${done}`, 303)
    }

  return consolePages(web)
    .get(path, (c) => page(c, atClient(web, c)))
    .post(path, async (c) => {
      const form = await formOf(web, c)
      const at = changingAt(web, c)
      const given = {
        name: form['name'] || undefined,
        contactEmail: form['contactEmail']?.trim() || undefined,
        rateLimitPerMinute: form['rateLimitPerMinute'] ? Number(form['rateLimitPerMinute']) : Number.NaN,
      }
      const read = readFields(Edit, given, accountLabel)
      if ('errors' in read) return page(c, at, form, read)
      const edit = { ...read.data, contactEmail: read.data.contactEmail ?? null }
      await changeAt(web, at.session, { client: at.client, action: 'update_api_account' }, (ctx) => updateAccount(ctx, accountId(c), edit))
      return c.redirect(`${at.base}/accounts/${accountId(c)}?done=saved`, 303)
    })
    .post(`${path}/tokens`, async (c) => {
      const form = await formOf(web, c)
      const at = changingAt(web, c)
      const lifetimeDays = LIFETIMES.has(form['lifetime'] ?? '') ? Number(form['lifetime']) : undefined
      const token = await changeAt(web, at.session, { client: at.client, action: 'issue_api_token' }, (ctx) =>
        issueAccountToken(ctx, accountId(c), { lifetimeDays }),
      )
      handOver(web, c, accountId(c), token)
      return c.redirect(`${at.base}/accounts/${accountId(c)}`, 303)
    })
    .post(
      `${path}/tokens/revoke`,
      changing(
        'revoke_api_token',
        'revoked',
        (ctx, c, form) => revokeAccountToken(ctx, accountId(c), form['token'] ?? ''),
        () => REVOKING,
      ),
    )
    .post(
      `${path}/active`,
      changing(
        'update_api_account',
        'saved',
        (ctx, c, form) => setAccountActive(ctx, accountId(c), form['active'] === 'yes'),
        (form) => (form['active'] === 'yes' ? null : DEACTIVATING),
      ),
    )
    .post(
      `${path}/lift`,
      changing('lift_otp_suspension', 'saved', (ctx, c) => liftOtpSuspension(ctx, accountId(c))),
    )
}
