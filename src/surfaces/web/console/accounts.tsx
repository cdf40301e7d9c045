import {
  type ClientApiAccount,
  createClientApiAccount,
  listClientApiAccounts,
  API_ACCOUNT_PURPOSES,
} from '../../../domains/access/client-accounts.ts'
import { listEvents } from '../../../domains/tenancy/events.ts'
import { code, count, email, list, name, object, oneOf } from '../../../kernel/args.ts'
import { LinkButton } from '../components/forms.tsx'
import { renderListPage } from '../components/list-page.tsx'
import { StatusDot, Notice, type TableColumn, TimestampText } from '../components/parts.tsx'
import { catchFormErrors, validateFormFields, type FormErrors } from '../fields.ts'
import { listFieldValues } from '../form-values.ts'
import { getCsrfToken, type FormValues, type WebServices, type WebContext } from '../web.ts'
import { getApiAccountFieldLabel, renderNewApiAccountPage } from './account-form.tsx'
import { getClientPageContext, type ClientPageContext, getClientPageContextForChange } from './client-page.ts'
import { runClientChange, createConsoleRouter, requireConsoleForm, sendConsolePage } from './frame.tsx'
import { getNavigationPosition } from './navigation.ts'

export const API_ACCOUNT_PURPOSE_LABELS = {
  rest: 'REST',
  assistant: 'Participant assistant',
  both: 'REST and assistant',
  none: 'None',
} as const

const NewAccount = object({
  name: name(120),
  purpose: oneOf(API_ACCOUNT_PURPOSES),
  contactEmail: email().optional(),
  rateLimitPerMinute: count(1, 6000),
  events: list(code(), 1000).optional(),
})

export const AccountStatusDot = ({ account }: { account: ClientApiAccount }) =>
  account.active ? (
    account.otpSuspendedAt ? (
      <StatusDot tone="warning">codes suspended</StatusDot>
    ) : (
      <StatusDot tone="success">active</StatusDot>
    )
  ) : (
    <StatusDot tone="danger">deactivated</StatusDot>
  )

export const formatApiAccountEvents = (account: ClientApiAccount) =>
  account.wholeClient ? 'all events' : account.events.length === 1 ? account.events[0]! : `${account.events.length} events`

const accountColumns = (base: string): TableColumn<ClientApiAccount>[] => [
  { label: 'Account', lead: true, cell: (a) => <a href={`${base}/accounts/${a.id}`}>{a.name}</a> },
  { label: 'Purpose', cell: (a) => API_ACCOUNT_PURPOSE_LABELS[a.purpose] },
  { label: 'Covers', cell: (a) => <span title={a.events.join(', ')}>{formatApiAccountEvents(a)}</span> },
  { label: 'Status', cell: (a) => <AccountStatusDot account={a} /> },
  { label: 'Active tokens', number: true, cell: (a) => a.liveTokens },
  { label: 'Last used', cell: (a) => <TimestampText at={a.lastUsedAt} /> },
]

/** `/console/clients/:code/accounts`: the API accounts of a client. */
export function apiAccountPages(web: WebServices) {
  const path = '/console/clients/:code/accounts'

  async function newPage(c: WebContext, at: ClientPageContext, form: FormValues, formErrors: FormErrors | null = null) {
    const events = await listEvents(at.reading, { limit: 100 })
    const codes = events.items.map((e) => ({ code: e.summary.code, name: e.summary.name }))
    return sendConsolePage(
      web,
      c,
      getNavigationPosition(at, 'accounts'),
      renderNewApiAccountPage({ at, csrf: getCsrfToken(web, c), form, formErrors, events: codes }),
    )
  }

  return createConsoleRouter(web)
    .get(path, async (c) => {
      const at = getClientPageContext(web, c)
      const accounts = await listClientApiAccounts(at.reading)
      const page = renderListPage({
        title: 'API accounts',
        text: `Software that can access ${at.client.name}.`,
        actions: at.mayChange ? (
          <LinkButton href={`${at.base}/accounts/new`} tone="primary">
            New API account
          </LinkButton>
        ) : null,
        before: at.mayChange ? null : <Notice>You can view these accounts. Only administrators can change them.</Notice>,
        caption: 'API accounts',
        columns: accountColumns(at.base),
        rows: accounts,
        empty: {
          title: 'No API accounts yet',
          text: 'With an API account, a server can read registrations over REST, or your own assistant can sign in participants. Assistants of organizers do not need an API account: use Connect an assistant.',
        },
      })
      return sendConsolePage(web, c, getNavigationPosition(at, 'accounts'), page)
    })
    .get(`${path}/new`, (c) => newPage(c, getClientPageContextForChange(web, c), {}))
    .post(path, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = getClientPageContextForChange(web, c)
      const given = {
        name: form['name'] || undefined,
        purpose: form['purpose'],
        contactEmail: form['contactEmail']?.trim() || undefined,
        rateLimitPerMinute: form['rateLimitPerMinute'] ? Number(form['rateLimitPerMinute']) : Number.NaN,
        events: form['coverage'] === 'events' ? listFieldValues(form, 'events') : undefined,
      }
      const read = validateFormFields(NewAccount, given, getApiAccountFieldLabel)
      if ('errors' in read) return newPage(c, at, form, read)
      let id = ''
      const formErrors = await catchFormErrors(async () => {
        id = await runClientChange(web, at.session, { client: at.client, action: 'create_api_account' }, (ctx) =>
          createClientApiAccount(ctx, read.data),
        )
      }, getApiAccountFieldLabel)
      if (formErrors) return newPage(c, at, form, formErrors)
      return c.redirect(`${at.base}/accounts/${id}?done=saved`, 303)
    })
}
