import {
  changeOwnPassword,
  reauthenticateOwnUser,
  endOtherSessions,
  getOwnAccount,
  type OwnAccount,
  renameOwnUser,
} from '../../../domains/sign-in/own-account.ts'
import { listBrowserSessions } from '../../../domains/sign-in/sessions.ts'
import { requireStrongPassword } from '../../../domains/sign-in/passwords.ts'
import { AppError } from '../../../kernel/errors.ts'
import { getClientIpBlock } from '../../http/client-address.ts'
import { FormCard } from '../components/form-page.tsx'
import { Button, findFieldError, type FieldErrors, Form, Input, LinkButton } from '../components/forms.tsx'
import { ListCard } from '../components/list-page.tsx'
import { renderContentPage } from '../components/page.tsx'
import { StatusLabel, Card, TimestampText } from '../components/parts.tsx'
import { getCsrfToken, type WebServices, type WebContext } from '../web.ts'
import { formatBrowserName } from './device.ts'
import { runOwnAccountChange, createConsoleRouter, requireConsoleForm, sendConsolePage } from './frame.tsx'

const PATH = '/console/account'

interface CardProps {
  csrf: string
  errors?: FieldErrors | undefined
}

const NameCard = ({ csrf, errors, name }: CardProps & { name: string }) => (
  <FormCard title="Your name" action={`${PATH}/name`} csrf={csrf} class="stack narrow" submit="Save name" tone="plain">
    <Input name="name" label="Name" value={name} autocomplete="name" maxlength={120} error={findFieldError(errors, 'name')} />
  </FormCard>
)

const PasswordCard = ({ csrf, errors, changedAt, email }: CardProps & { changedAt: Date | null; email: string }) => (
  <FormCard title="Password" action={`${PATH}/password`} csrf={csrf} class="stack narrow" submit="Change password">
    <p class="muted">
      Last changed: <TimestampText at={changedAt} />. Changing your password signs out your other browsers and connected apps.
    </p>
    {/* Password managers need the username to know which account's password changes. */}
    <input type="text" name="username" value={email} autocomplete="username" hidden readonly />
    <Input
      name="current"
      type="password"
      label="Current password"
      autocomplete="current-password"
      error={findFieldError(errors, 'current')}
    />
    <Input
      name="password"
      type="password"
      label="New password"
      help="At least 12 characters. A few random words work well."
      autocomplete="new-password"
      error={findFieldError(errors, 'password')}
    />
  </FormCard>
)

const FactorCard = ({ account }: { account: OwnAccount }) => {
  const on = account.secondFactor === 'on'
  return (
    <Card title="Second factor" actions={on ? <StatusLabel tone="success">on</StatusLabel> : <StatusLabel tone="warning">off</StatusLabel>}>
      <div class="row-between">
        <p>
          {on
            ? `You sign in with a code from your authenticator app. Recovery codes left: ${account.recoveryCodesLeft} of 10.`
            : 'Sign in with a code from an app on your phone, in addition to your password.'}
        </p>
        <LinkButton href={`${PATH}/second-factor`}>{on ? 'Manage' : 'Set up'}</LinkButton>
      </div>
    </Card>
  )
}

type Sessions = Awaited<ReturnType<typeof listBrowserSessions>>

const SessionsCard = ({ csrf, sessions, isThis }: { csrf: string; sessions: Sessions; isThis: (hash: Uint8Array) => boolean }) => (
  <ListCard
    title="Active sessions"
    caption="Sessions"
    rows={sessions}
    columns={[
      {
        label: 'Browser',
        lead: true,
        cell: (s) => (
          <>
            {formatBrowserName(s.userAgent)} {isThis(s.tokenHash) ? <StatusLabel tone="accent">this browser</StatusLabel> : null}
          </>
        ),
      },
      { label: 'Signed in', cell: (s) => <TimestampText at={s.createdAt} /> },
      { label: 'Last seen', cell: (s) => <TimestampText at={s.lastSeenAt} /> },
    ]}
    foot={
      sessions.length > 1 ? (
        <Form action={`${PATH}/sessions/end`} csrf={csrf}>
          <Button tone="danger">
            Sign out {sessions.length === 2 ? 'the other session' : `the ${sessions.length - 1} other sessions`}
          </Button>
        </Form>
      ) : (
        <span class="muted">You are not signed in anywhere else.</span>
      )
    }
  />
)

/** `/console/account`: the organizer's name, password, second factor and sign-in sessions. */
export function ownAccountPages(web: WebServices) {
  const { database, baseUrl } = web.services
  const page = async (c: WebContext, shown: { errors?: FieldErrors; name?: string } = {}) => {
    const { userId, tokenHash } = c.get('session')
    const account = await getOwnAccount(database.write, userId)
    const sessions = await listBrowserSessions(database.write, userId)
    const { errors } = shown
    const form = { csrf: getCsrfToken(web, c), errors, email: account.email }
    const head = { title: 'Account security', text: account.email, actions: <LinkButton href={`${PATH}/apps`}>Connected apps</LinkButton> }
    const content = (
      <>
        <NameCard {...form} name={shown.name ?? account.name} />
        <PasswordCard {...form} changedAt={account.passwordChangedAt} />
        <FactorCard account={account} />
        <SessionsCard csrf={form.csrf} sessions={sessions} isThis={(hash) => tokenHash.equals(hash)} />
      </>
    )
    return sendConsolePage(web, c, { current: PATH }, renderContentPage({ ...head, formErrors: errors && { errors } }, content))
  }
  /** Runs a change, or shows the page again with errors and the entered name. Passwords must be entered again. */
  const orShowErrors = async (c: WebContext, kept: { name?: string }, run: () => Promise<Response>) => {
    try {
      return await run()
    } catch (error) {
      if (error instanceof AppError && error.details.fields) return page(c, { ...kept, errors: error.details.fields })
      throw error
    }
  }

  return createConsoleRouter(web)
    .get(PATH, (c) => page(c))
    .post(`${PATH}/name`, async (c) => {
      const { name = '' } = await requireConsoleForm(web, c)
      const session = c.get('session')
      return orShowErrors(c, { name }, async () => {
        await runOwnAccountChange(web, session, 'change_own_name', (ctx) => renameOwnUser(ctx, session, name))
        return c.redirect(`${PATH}?done=saved`, 303)
      })
    })
    .post(`${PATH}/password`, async (c) => {
      const { current = '', password = '' } = await requireConsoleForm(web, c)
      const session = c.get('session')
      return orShowErrors(c, {}, async () => {
        // Check the new password first, so that a weak one does not count as a failed sign-in attempt.
        requireStrongPassword(password, { email: session.email })
        const address = getClientIpBlock(c.env.incoming, web.trustedProxies)
        await reauthenticateOwnUser({ database, baseUrl, passwords: web.passwords }, session, {
          password: current,
          address,
          path: 'current',
        })
        await runOwnAccountChange(web, session, 'change_own_password', (ctx) => changeOwnPassword(ctx, session, password, web.passwords))
        return c.redirect(`${PATH}?done=password`, 303)
      })
    })
    .post(`${PATH}/sessions/end`, async (c) => {
      await requireConsoleForm(web, c)
      const session = c.get('session')
      await runOwnAccountChange(web, session, 'end_other_sessions', (ctx) => endOtherSessions(ctx, session))
      return c.redirect(`${PATH}?done=ended`, 303)
    })
}
