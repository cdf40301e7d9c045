import { listStaff, removeStaff } from '../../../domains/access/event-staff.ts'
import { listMembers, type Member } from '../../../domains/access/members.ts'
import { inviteMember, limitInvitations } from '../../../domains/sign-in/invitations.ts'
import { lastSeenOf } from '../../../domains/sign-in/last-seen.ts'
import { listEvents } from '../../../domains/tenancy/events.ts'
import { email, id, name, object, oneOf } from '../../../kernel/args.ts'
import { ROLES } from '../../../kernel/permissions.ts'
import { Actions, Button, ErrorSummary, errorOf, Form, Input, Select } from '../components/forms.tsx'
import { Heading } from '../components/layout.tsx'
import { Badge, Card, Notice, Table, Time } from '../components/parts.tsx'
import { attempt, type Label, readFields, type Refused } from '../fields.ts'
import { csrfFor, type FormValues, type Web, type WebContext } from '../web.ts'
import { askFirst, isSure } from './ask-first.tsx'
import { atClient, type AtClient, changingAt } from './at-client.ts'
import { changeAt, consolePages, formOf, frame } from './frame.tsx'
import { ROLE_OPTIONS, RolesTable } from './roles-table.tsx'

const LABELS: Record<string, string> = { email: 'Email', name: 'Name', role: 'Role', where: 'Works on' }
const labelOf: Label = (path) => LABELS[path] ?? ''

const Invitation = object({ email: email(), name: name(), role: oneOf(ROLES as [(typeof ROLES)[number]]), eventId: id().optional() })

export const MemberState = ({ member }: { member: Member }) =>
  member.active ? (
    member.pending ? (
      <Badge tone="warning">invited</Badge>
    ) : (
      <Badge tone="success">active</Badge>
    )
  ) : (
    <Badge tone="danger">deactivated</Badge>
  )

const MemberTable = ({ at, members, seen }: { at: AtClient; members: Member[]; seen: Map<string, Date> }) => (
  <Table
    caption="Members"
    rows={members}
    columns={[
      {
        label: 'Name',
        lead: true,
        cell: (m) => (
          <>
            <a href={`${at.base}/users/${m.userId}`}>{m.name}</a>
            <div class="muted">{m.email}</div>
          </>
        ),
      },
      { label: 'Role', cell: (m) => m.role },
      { label: 'State', cell: (m) => <MemberState member={m} /> },
      { label: 'Last seen in the console', cell: (m) => <Time at={seen.get(m.userId) ?? null} /> },
      { label: 'Connected apps', number: true, cell: (m) => m.apps },
    ]}
  />
)

const StaffTable = ({ at, staff, csrf }: { at: AtClient; staff: Awaited<ReturnType<typeof listStaff>>; csrf: string }) => (
  <Table
    caption="Event staff"
    rows={staff}
    columns={[
      {
        label: 'Name',
        lead: true,
        cell: (s) => (
          <>
            {s.name}
            <div class="muted">{s.email}</div>
          </>
        ),
      },
      { label: 'Event', cell: (s) => s.event },
      { label: 'Role', cell: (s) => s.role },
      ...(at.mayChange
        ? [
            {
              label: '',
              cell: (s: (typeof staff)[number]) => (
                <Form action={`${at.base}/users/staff/remove`} csrf={csrf} class="actions">
                  <input type="hidden" name="userId" value={s.userId} />
                  <input type="hidden" name="eventId" value={s.eventId} />
                  <Button small tone="danger">
                    Remove
                    <span class="hidden">
                      {' '}
                      {s.name} from {s.event}
                    </span>
                  </Button>
                </Form>
              ),
            },
          ]
        : []),
    ]}
  />
)

const InviteForm = (props: { at: AtClient; csrf: string; form: FormValues; refused: Refused; events: { id: string; name: string }[] }) => {
  const { at, csrf, form, refused, events } = props
  const field = (name: string) => ({ name, value: form[name], error: errorOf(refused.errors, name) })
  return (
    <Form action={`${at.base}/users`} csrf={csrf} class="stack">
      <div class="fields-2">
        <Input {...field('email')} type="email" label="Email" autocomplete="off" required />
        <Input {...field('name')} label="Name" maxlength={160} autocomplete="off" required help="Used for somebody new only" />
        <Select {...field('role')} value={form['role'] ?? 'manager'} label="Role" options={ROLE_OPTIONS} />
        <Select
          {...field('where')}
          label="Works on"
          options={[{ value: '', label: `All of ${at.client.name}` }, ...events.map((e) => ({ value: e.id, label: `Only ${e.name}` }))]}
        />
      </div>
      <Actions>
        <Button tone="primary">Invite</Button>
        <span class="muted">Somebody new gets a link by mail to choose a password; it works for 72 hours.</span>
      </Actions>
    </Form>
  )
}

/** `/console/clients/:code/users`: who works for the client, and as what. */
export function userPages(web: Web) {
  const path = '/console/clients/:code/users'

  async function page(c: WebContext, at: AtClient, form: FormValues = {}, refused: Refused | null = null) {
    const { db } = at.reading
    const [members, staff, events] = await Promise.all([
      listMembers(at.reading),
      listStaff(at.reading),
      listEvents(at.reading, { limit: 100 }),
    ])
    const seen = await lastSeenOf(
      db,
      members.map((m) => m.userId),
    )
    const csrf = csrfFor(web, c)
    return frame(
      web,
      c,
      { title: 'Users', current: `${at.base}/users`, client: at.client, status: refused ? 400 : 200 },
      <>
        <Heading title="Users" text={`${members.length} ${members.length === 1 ? 'member' : 'members'} of ${at.client.name}`} />
        <ErrorSummary {...refused} />
        {at.mayChange ? null : <Notice>You can see who works here. Changing it needs the clients.admin permission.</Notice>}
        <Card title="Members" pad={false}>
          <MemberTable at={at} members={members} seen={seen} />
        </Card>
        {at.mayChange ? (
          <Card title="Invite somebody">
            <InviteForm
              at={at}
              csrf={csrf}
              form={form}
              refused={refused ?? {}}
              events={events.items.map((e) => ({ id: e.id, name: e.summary.name }))}
            />
          </Card>
        ) : null}
        {staff.length > 0 ? (
          <Card title="Staff of single events" pad={false}>
            <StaffTable at={at} staff={staff} csrf={csrf} />
          </Card>
        ) : null}
        <Card>
          <details>
            <summary>What each role may do</summary>
            <RolesTable />
          </details>
        </Card>
      </>,
    )
  }

  return consolePages(web)
    .get(path, (c) => page(c, atClient(web, c)))
    .post(path, async (c) => {
      const form = await formOf(web, c)
      const at = changingAt(web, c)
      const given = {
        email: form['email'] || undefined,
        name: form['name'] || undefined,
        role: form['role'],
        eventId: form['where'] || undefined,
      }
      const read = readFields(Invitation, given, labelOf)
      if ('errors' in read) return page(c, at, form, read)
      const refused = await attempt(async () => {
        await limitInvitations({ ...at.reading, db: web.road.database.write })
        const place = { client: at.client, action: 'invite_member', eventId: read.data.eventId ?? null }
        return changeAt(web, at.session, place, (ctx) => inviteMember(ctx, read.data))
      }, labelOf)
      if (refused) return page(c, at, form, refused)
      return c.redirect(`${at.base}/users?done=invited`, 303)
    })
    .post(`${path}/staff/remove`, async (c) => {
      const form = await formOf(web, c)
      const at = changingAt(web, c)
      const named = { userId: form['userId'] ?? '', eventId: form['eventId'] ?? '' }
      if (!isSure(form)) {
        const place = { back: `${at.base}/users`, current: `${at.base}/users`, client: at.client }
        const text = 'They lose their role at this event, and their connected apps sign in again. A role at the whole client stays.'
        return askFirst(web, c, form, { title: 'Remove them from this event?', text, button: 'Remove', ...place })
      }
      await changeAt(web, at.session, { client: at.client, action: 'remove_staff', eventId: named.eventId }, (ctx) =>
        removeStaff(ctx, named),
      )
      return c.redirect(`${at.base}/users?done=removed`, 303)
    })
}
