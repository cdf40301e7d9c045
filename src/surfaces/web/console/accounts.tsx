import { type ClientAccount, createClientAccount, listClientAccounts, PURPOSES } from '../../../domains/access/client-accounts.ts'
import { listEvents } from '../../../domains/tenancy/events.ts'
import { code, count, email, list, name, object, oneOf } from '../../../kernel/args.ts'
import { LinkButton } from '../components/forms.tsx'
import { Heading } from '../components/layout.tsx'
import { Badge, Card, Empty, Notice, Table, Time } from '../components/parts.tsx'
import { attempt, readFields, type Refused } from '../fields.ts'
import { everyValue } from '../form-values.ts'
import { csrfFor, type FormValues, type Web, type WebContext } from '../web.ts'
import { accountLabel, NewAccountForm } from './account-form.tsx'
import { atClient, type AtClient, changingAt } from './at-client.ts'
import { changeAt, consolePages, formOf, frame } from './frame.tsx'

export const PURPOSE_WORDS = { rest: 'REST', assistant: 'Participant assistant', both: 'REST and assistant', none: 'nothing' } as const

const NewAccount = object({
  name: name(120),
  purpose: oneOf(PURPOSES),
  contactEmail: email().optional(),
  rateLimitPerMinute: count(1, 6000),
  events: list(code(), 1000).optional(),
})

export const AccountState = ({ account }: { account: ClientAccount }) =>
  account.active ? (
    account.otpSuspendedAt ? (
      <Badge tone="warning">codes suspended</Badge>
    ) : (
      <Badge tone="success">active</Badge>
    )
  ) : (
    <Badge tone="danger">deactivated</Badge>
  )

export const coverage = (account: ClientAccount) =>
  account.wholeClient ? 'all events' : account.events.length === 1 ? account.events[0]! : `${account.events.length} events`

const AccountTable = ({ at, accounts }: { at: AtClient; accounts: ClientAccount[] }) => (
  <Table
    caption="API accounts"
    rows={accounts}
    columns={[
      { label: 'Account', lead: true, cell: (a) => <a href={`${at.base}/accounts/${a.id}`}>{a.name}</a> },
      { label: 'For', cell: (a) => PURPOSE_WORDS[a.purpose] },
      { label: 'Covers', cell: (a) => <span title={a.events.join(', ')}>{coverage(a)}</span> },
      { label: 'State', cell: (a) => <AccountState account={a} /> },
      { label: 'Live tokens', number: true, cell: (a) => a.liveTokens },
      { label: 'Last used', cell: (a) => <Time at={a.lastUsedAt} /> },
    ]}
  />
)

/** `/console/clients/:code/accounts`: the accounts with which other software reaches this client. */
export function accountPages(web: Web) {
  const path = '/console/clients/:code/accounts'

  async function newPage(c: WebContext, at: AtClient, form: FormValues, refused: Refused | null = null) {
    const events = await listEvents(at.reading, { limit: 100 })
    return frame(
      web,
      c,
      { title: 'New API account', current: `${at.base}/accounts`, client: at.client, status: refused ? 400 : 200 },
      <NewAccountForm
        at={at}
        csrf={csrfFor(web, c)}
        form={form}
        refused={refused ?? {}}
        events={events.items.map((e) => ({ code: e.summary.code, name: e.summary.name }))}
      />,
    )
  }

  return consolePages(web)
    .get(path, async (c) => {
      const at = atClient(web, c)
      const accounts = await listClientAccounts(at.reading)
      return frame(
        web,
        c,
        { title: 'API accounts', current: `${at.base}/accounts`, client: at.client },
        <>
          <Heading title="API accounts" text={`Other software that reaches ${at.client.name}`}>
            {at.mayChange ? (
              <LinkButton href={`${at.base}/accounts/new`} tone="primary">
                New API account
              </LinkButton>
            ) : null}
          </Heading>
          {at.mayChange ? null : <Notice>You can see the accounts. Changing them needs the clients.admin permission.</Notice>}
          <Card pad={false}>
            {accounts.length > 0 ? (
              <AccountTable at={at} accounts={accounts} />
            ) : (
              <Empty title="No API accounts yet">
                <p>
                  An API account lets a server read registrations over REST, or lets an assistant of your own sign participants in.
                  Organizers' assistants need none: they are connected under Connect an assistant.
                </p>
              </Empty>
            )}
          </Card>
        </>,
      )
    })
    .get(`${path}/new`, (c) => newPage(c, changingAt(web, c), {}))
    .post(path, async (c) => {
      const form = await formOf(web, c)
      const at = changingAt(web, c)
      const given = {
        name: form['name'] || undefined,
        purpose: form['purpose'],
        contactEmail: form['contactEmail']?.trim() || undefined,
        rateLimitPerMinute: form['rateLimitPerMinute'] ? Number(form['rateLimitPerMinute']) : Number.NaN,
        events: form['coverage'] === 'events' ? everyValue(form, 'events') : undefined,
      }
      const read = readFields(NewAccount, given, accountLabel)
      if ('errors' in read) return newPage(c, at, form, read)
      let id = ''
      const refused = await attempt(async () => {
        id = await changeAt(web, at.session, { client: at.client, action: 'create_api_account' }, (ctx) =>
          createClientAccount(ctx, read.data),
        )
      }, accountLabel)
      if (refused) return newPage(c, at, form, refused)
      return c.redirect(`${at.base}/accounts/${id}?done=saved`, 303)
    })
}
