import { disconnectMemberApp, listMemberApps, type MemberApp } from '../../../domains/access/member-apps.ts'
import { changeRole, getMember, type Member, removeMember } from '../../../domains/access/members.ts'
import { inviteAgain, limitInvitations } from '../../../domains/sign-in/invitations.ts'
import type { ClientContext } from '../../../kernel/context.ts'
import { invalidArguments } from '../../../kernel/errors.ts'
import { isRole } from '../../../kernel/permissions.ts'
import { Actions, Button, ErrorSummary, errorOf, Form, Input, Select } from '../components/forms.tsx'
import { Heading } from '../components/layout.tsx'
import { Card, Facts, Table, Time } from '../components/parts.tsx'
import { attempt, type Refused } from '../fields.ts'
import { csrfFor, type FormValues, type Web, type WebContext } from '../web.ts'
import { askFirst, isSure } from './ask-first.tsx'
import { atClient, type AtClient, changingAt } from './at-client.ts'
import { confirmed } from './confirming.ts'
import { changeAt, consolePages, formOf, frame } from './frame.tsx'
import { ROLE_OPTIONS } from './roles-table.tsx'
import { MemberState } from './users.tsx'

interface View {
  at: AtClient
  csrf: string
  member: Member
  here: string
}

const AppsCard = ({ at, csrf, member, here, apps }: View & { apps: MemberApp[] }) => (
  <Card title="Connected apps" pad={apps.length === 0}>
    {apps.length === 0 ? (
      <p class="muted">{member.name} has no assistant connected.</p>
    ) : (
      <Table
        caption="Connected apps"
        rows={apps}
        columns={[
          { label: 'App', lead: true, cell: (a) => a.name },
          { label: 'Website', cell: (a) => a.website || 'not given' },
          { label: 'Connected', cell: (a) => <Time at={a.connectedAt} /> },
          { label: 'Last used', cell: (a) => <Time at={a.lastUsedAt} /> },
          ...(at.mayChange
            ? [
                {
                  label: '',
                  cell: (a: MemberApp) => (
                    <Form action={`${here}/disconnect`} csrf={csrf} class="actions">
                      <Button small tone="danger" name="app" value={a.appId}>
                        Disconnect<span class="hidden"> {a.name}</span>
                      </Button>
                    </Form>
                  ),
                },
              ]
            : []),
        ]}
      />
    )}
  </Card>
)

const RoleCard = ({ csrf, member, here, refused }: View & { refused: Refused }) => (
  <Card title="Role">
    <Form action={`${here}/role`} csrf={csrf} class="stack">
      <Select name="role" label="Role" value={member.role} options={ROLE_OPTIONS} error={errorOf(refused.errors, 'role')} />
      <p class="muted">A role that may do less signs out their connected apps; they connect again with the new one.</p>
      <Actions>
        <Button tone="primary">Change role</Button>
      </Actions>
    </Form>
  </Card>
)

const RemoveCard = ({ at, csrf, member, here, refused }: View & { refused: Refused }) => (
  <Card title={`Remove from ${at.client.name}`}>
    <Form action={`${here}/remove`} csrf={csrf} class="stack">
      <p>
        {member.name} loses the role {member.role} and every connected app at once. What they did stays in the audit log.
      </p>
      <Input
        name="email"
        label="Type their email to confirm"
        autocomplete="off"
        help={member.email}
        error={errorOf(refused.errors, 'email')}
      />
      {refused.confirmToken ? <input type="hidden" name="confirmToken" value={refused.confirmToken} /> : null}
      <Actions>
        <Button tone="danger">Remove {member.name}</Button>
      </Actions>
    </Form>
  </Card>
)

const labelOf = () => ''

/** A confirmation that is no longer good is asked for again. */
const inWords = (refused: Refused): Refused =>
  refused.reason === 'unconfirmed' && !refused.confirmToken
    ? { message: 'That confirmation is too old or was used already. Nothing was changed: type the email again to start over.' }
    : refused

/** `/console/clients/:code/users/:user`: one member, their role and their apps. */
export function memberPages(web: Web) {
  const path = '/console/clients/:code/users/:user{[0-9a-f]{24}}'

  async function page(c: WebContext, at: AtClient, refused: Refused | null = null) {
    const member = await getMember(at.reading, c.req.param('user') ?? '')
    const apps = await listMemberApps(at.reading, member.userId)
    const view: View = { at, csrf: csrfFor(web, c), member, here: `${at.base}/users/${member.userId}` }
    return frame(
      web,
      c,
      { title: member.name, current: `${at.base}/users`, client: at.client, status: refused ? 400 : 200 },
      <>
        <Heading title={member.name} text={member.email} crumbs={[{ href: `${at.base}/users`, label: 'Users' }]}>
          {member.pending && at.mayChange ? (
            <Form action={`${view.here}/invite`} csrf={view.csrf}>
              <Button>Send the invitation again</Button>
            </Form>
          ) : null}
        </Heading>
        <ErrorSummary {...refused} />
        <Card>
          <Facts
            rows={[
              ['State', <MemberState member={member} />],
              ['Role', member.role],
              ['Member since', <Time at={member.since} />],
            ]}
          />
        </Card>
        {at.mayChange ? <RoleCard {...view} refused={refused ?? {}} /> : null}
        <AppsCard {...view} apps={apps} />
        {at.mayChange ? <RemoveCard {...view} refused={refused ?? {}} /> : null}
      </>,
    )
  }

  /** Reads the form, makes the change and goes on; a refusal comes back on the member's own page. */
  const changing =
    (
      action: string,
      done: string,
      run: (ctx: ClientContext, form: FormValues, userId: string) => Promise<void>,
      { ask, before }: { ask?: { title: string; text: string; button: string }; before?: (at: AtClient) => Promise<void> } = {},
    ) =>
    async (c: WebContext) => {
      const form = await formOf(web, c)
      const at = changingAt(web, c)
      const userId = c.req.param('user') ?? ''
      if (ask && !isSure(form)) {
        return askFirst(web, c, form, { ...ask, back: `${at.base}/users/${userId}`, current: `${at.base}/users`, client: at.client })
      }
      const refused = await attempt(async () => {
        await before?.(at)
        return changeAt(web, at.session, { client: at.client, action }, (ctx) => run(ctx, form, userId))
      }, labelOf)
      if (refused) return page(c, at, inWords(refused))
      // Whoever gave up their own role may not see the next page any more.
      const gaveUp = userId === at.session.userId && (action === 'remove_member' || action === 'change_role')
      const next = gaveUp ? '/console' : action === 'remove_member' ? `${at.base}/users` : `${at.base}/users/${userId}`
      return c.redirect(`${next}?done=${done}`, 303)
    }

  return consolePages(web)
    .get(path, (c) => page(c, atClient(web, c)))
    .post(
      `${path}/role`,
      changing('change_role', 'saved', async (ctx, form, userId) => {
        const role = form['role'] ?? ''
        if (!isRole(role)) throw invalidArguments([{ path: 'role', message: 'Choose one of the roles.' }])
        await changeRole(ctx, { userId, role })
      }),
    )
    .post(
      `${path}/remove`,
      changing('remove_member', 'removed', async (ctx, form, userId) => {
        const { email } = await getMember(ctx, userId)
        if ((form['email'] ?? '').trim().toLowerCase() !== email.toLowerCase())
          throw invalidArguments([{ path: 'email', message: 'Type their email exactly as shown to remove them.' }])
        await removeMember(ctx, { userId })
        await confirmed(ctx, { action: 'remove_member', of: userId }, form['confirmToken'])
      }),
    )
    .post(
      `${path}/invite`,
      changing('invite_member', 'invited', (ctx, _form, userId) => inviteAgain(ctx, { userId }), {
        before: (at) => limitInvitations({ ...at.reading, db: web.road.database.write }),
      }),
    )
    .post(
      `${path}/disconnect`,
      changing('disconnect_app', 'disconnected', (ctx, form, userId) => disconnectMemberApp(ctx, { userId, appId: form['app'] ?? '' }), {
        ask: {
          title: 'Disconnect this app?',
          text: 'It can no longer act in their name, from its next call on. They can connect it again.',
          button: 'Disconnect',
        },
      }),
    )
}
