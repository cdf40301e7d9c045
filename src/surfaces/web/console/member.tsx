import { disconnectMemberApp, listMemberApps, type MemberConnectedApp } from '../../../domains/access/member-apps.ts'
import { changeClientRole, getClientMember, type ClientMember, removeClientMember } from '../../../domains/access/members.ts'
import { resendInvitation, limitInvitations } from '../../../domains/sign-in/invitations.ts'
import type { ClientContext } from '../../../kernel/context.ts'
import { isSameEmail } from '../../../kernel/email-address.ts'
import { invalidArguments } from '../../../kernel/errors.ts'
import { isRole } from '../../../kernel/permissions.ts'
import { FormCard } from '../components/form-page.tsx'
import { Button, findFieldError, Form, Input, Select } from '../components/forms.tsx'
import { buildActionColumns, ListCard } from '../components/list-page.tsx'
import { renderContentPage } from '../components/page.tsx'
import { Card, DescriptionList, TimestampText } from '../components/parts.tsx'
import { catchFormErrors, type FormErrors } from '../fields.ts'
import { getCsrfToken, type FormValues, type WebServices, type WebContext } from '../web.ts'
import { type ConfirmQuestion, sendConfirmPage, isConfirmed } from './confirm-page.tsx'
import { getClientPageContext, type ClientPageContext, getClientPageContextForChange } from './client-page.ts'
import { requireConfirmationIfNeeded } from './confirmation.ts'
import { runClientChange, createConsoleRouter, requireConsoleForm, sendConsolePage } from './frame.tsx'
import { getNavigationPosition } from './navigation.ts'
import { ROLE_OPTIONS } from './roles-table.tsx'
import { MemberStatusDot } from './users.tsx'

interface MemberCardProps {
  at: ClientPageContext
  csrf: string
  member: ClientMember
  here: string
}

const AppsCard = ({ at, csrf, member, here, apps }: MemberCardProps & { apps: MemberConnectedApp[] }) => (
  <ListCard
    title="Connected apps"
    caption="Connected apps"
    empty={`${member.name} has no connected apps.`}
    rows={apps}
    columns={[
      { label: 'App', lead: true, cell: (a) => a.name },
      { label: 'Website', cell: (a) => a.website || 'not given' },
      { label: 'Connected', cell: (a) => <TimestampText at={a.connectedAt} /> },
      { label: 'Last used', cell: (a) => <TimestampText at={a.lastUsedAt} /> },
      ...buildActionColumns<MemberConnectedApp>(at.mayChange, ({ name, appId }) => ({
        action: `${here}/disconnect`,
        csrf,
        label: 'Disconnect',
        about: name,
        hidden: { app: appId },
        danger: true,
      })),
    ]}
  />
)

const RoleCard = ({ csrf, member, here, formErrors }: MemberCardProps & { formErrors: FormErrors | null }) => (
  <FormCard title="Change the role" action={`${here}/role`} csrf={csrf} submit="Change role">
    <Select name="role" label="Role" value={member.role} options={ROLE_OPTIONS} error={findFieldError(formErrors?.errors, 'role')} />
    <p class="muted">If the new role has fewer permissions, the user’s connected apps are signed out and must be connected again.</p>
  </FormCard>
)

const RemoveCard = ({ at, csrf, member, here, formErrors }: MemberCardProps & { formErrors: FormErrors | null }) => (
  <FormCard
    title={`Remove from ${at.client.name}`}
    action={`${here}/remove`}
    csrf={csrf}
    hidden={{ confirmToken: formErrors?.confirmToken }}
    submit={`Remove ${member.name}`}
    tone="danger"
  >
    <p>
      {member.name} loses the role {member.role} and all connected apps immediately. The audit log keeps their past actions.
    </p>
    <Input
      name="email"
      label="Enter their email to confirm"
      autocomplete="off"
      help={member.email}
      error={findFieldError(formErrors?.errors, 'email')}
    />
  </FormCard>
)

const labelOf = () => ''

/** Replaces the error about an expired confirm token by one for console users. */
const toConsoleErrors = (formErrors: FormErrors): FormErrors =>
  formErrors.reason === 'unconfirmed' && !formErrors.confirmToken
    ? { message: 'The confirmation has expired or was already used. Nothing was changed. Enter the email again.' }
    : formErrors

/** `/console/clients/:code/users/:user`: one member with role and connected apps. */
export function memberPages(web: WebServices) {
  const path = '/console/clients/:code/users/:user{[0-9a-f]{24}}'

  async function page(c: WebContext, at: ClientPageContext, formErrors: FormErrors | null = null) {
    const member = await getClientMember(at.reading, c.req.param('user') ?? '')
    const apps = await listMemberApps(at.reading, member.userId)
    const view: MemberCardProps = { at, csrf: getCsrfToken(web, c), member, here: `${at.base}/users/${member.userId}` }
    const shown = renderContentPage(
      {
        title: member.name,
        text: member.email,
        crumbs: [{ href: `${at.base}/users`, label: 'Users' }],
        actions:
          member.pending && at.mayChange ? (
            <Form action={`${view.here}/invite`} csrf={view.csrf}>
              <Button>Resend invitation</Button>
            </Form>
          ) : null,
        formErrors,
      },
      <>
        <Card>
          <DescriptionList
            rows={[
              ['Status', <MemberStatusDot member={member} />],
              ['Role', member.role],
              ['Member since', <TimestampText at={member.since} />],
            ]}
          />
        </Card>
        {at.mayChange ? <RoleCard {...view} formErrors={formErrors} /> : null}
        <AppsCard {...view} apps={apps} />
        {at.mayChange ? <RemoveCard {...view} formErrors={formErrors} /> : null}
      </>,
    )
    return sendConsolePage(web, c, getNavigationPosition(at, 'users'), shown)
  }

  /** Handles a form: makes the change and redirects. Errors are shown on the member's page. */
  const changing =
    (
      action: string,
      done: string,
      run: (ctx: ClientContext, form: FormValues, userId: string) => Promise<void>,
      { ask, before }: { ask?: ConfirmQuestion; before?: (at: ClientPageContext) => Promise<void> } = {},
    ) =>
    async (c: WebContext) => {
      const form = await requireConsoleForm(web, c)
      const at = getClientPageContextForChange(web, c)
      const userId = c.req.param('user') ?? ''
      if (ask && !isConfirmed(form))
        return sendConfirmPage(web, c, form, { ...ask, ...getNavigationPosition(at, 'users'), back: `${at.base}/users/${userId}` })
      const formErrors = await catchFormErrors(async () => {
        await before?.(at)
        return runClientChange(web, at.session, { client: at.client, action }, (ctx) => run(ctx, form, userId))
      }, labelOf)
      if (formErrors) return page(c, at, toConsoleErrors(formErrors))
      // Users who removed or changed their own role may no longer see the users page.
      const changedOwnRole = userId === at.session.userId && (action === 'remove_member' || action === 'change_role')
      const next = changedOwnRole ? '/console' : action === 'remove_member' ? `${at.base}/users` : `${at.base}/users/${userId}`
      return c.redirect(`${next}?done=${done}`, 303)
    }

  return createConsoleRouter(web)
    .get(path, (c) => page(c, getClientPageContext(web, c)))
    .post(
      `${path}/role`,
      changing('change_role', 'saved', async (ctx, form, userId) => {
        const role = form['role'] ?? ''
        if (!isRole(role)) throw invalidArguments([{ path: 'role', message: 'Choose a role.' }])
        await changeClientRole(ctx, { userId, role })
      }),
    )
    .post(
      `${path}/remove`,
      changing('remove_member', 'removed', async (ctx, form, userId) => {
        const { email } = await getClientMember(ctx, userId)
        if (!isSameEmail((form['email'] ?? '').trim(), email))
          throw invalidArguments([{ path: 'email', message: 'Enter their email exactly as shown.' }])
        await removeClientMember(ctx, { userId })
        await requireConfirmationIfNeeded(ctx, { action: 'remove_member', of: userId }, form['confirmToken'])
      }),
    )
    .post(
      `${path}/invite`,
      changing('invite_member', 'invited', (ctx, _form, userId) => resendInvitation(ctx, { userId }), {
        before: (at) => limitInvitations({ ...at.reading, db: web.services.database.write }),
      }),
    )
    .post(
      `${path}/disconnect`,
      changing('disconnect_app', 'disconnected', (ctx, form, userId) => disconnectMemberApp(ctx, { userId, appId: form['app'] ?? '' }), {
        ask: {
          title: 'Disconnect this app?',
          text: 'The app loses access immediately. The user can connect it again.',
          button: 'Disconnect',
        },
      }),
    )
}
