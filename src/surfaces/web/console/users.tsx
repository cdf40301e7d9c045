import { listStaffOfEvents, removeStaffRole } from '../../../domains/access/event-staff.ts'
import { listClientMembers, type ClientMember } from '../../../domains/access/members.ts'
import { inviteMember, limitInvitations } from '../../../domains/sign-in/invitations.ts'
import { readLastSeenTimes } from '../../../domains/sign-in/last-seen.ts'
import { listEvents } from '../../../domains/tenancy/events.ts'
import { email, id, name, object, oneOf } from '../../../kernel/args.ts'
import { ROLES } from '../../../kernel/permissions.ts'
import { FormCard, createFieldPropsGetter } from '../components/form-page.tsx'
import { Input, Select } from '../components/forms.tsx'
import { buildActionColumns, ListCard } from '../components/list-page.tsx'
import { renderContentPage } from '../components/page.tsx'
import { StatusDot, Card, Notice, type TableColumn, TimestampText } from '../components/parts.tsx'
import { catchFormErrors, type FieldLabelLookup, validateFormFields, type FormErrors } from '../fields.ts'
import { getCsrfToken, type FormValues, type WebServices, type WebContext } from '../web.ts'
import { sendConfirmPage, isConfirmed } from './confirm-page.tsx'
import { getClientPageContext, type ClientPageContext, getClientPageContextForChange } from './client-page.ts'
import { runClientChange, createConsoleRouter, requireConsoleForm, sendConsolePage } from './frame.tsx'
import { getNavigationPosition } from './navigation.ts'
import { ROLE_OPTIONS, RolesTable } from './roles-table.tsx'

const LABELS: Record<string, string> = { email: 'Email', name: 'Name', role: 'Role', where: 'Access to' }
const labelOf: FieldLabelLookup = (path) => LABELS[path] ?? ''

const Invitation = object({ email: email(), name: name(), role: oneOf(ROLES as [(typeof ROLES)[number]]), eventId: id().optional() })

export const MemberStatusDot = ({ member }: { member: ClientMember }) =>
  member.active ? (
    member.pending ? (
      <StatusDot tone="warning">invited</StatusDot>
    ) : (
      <StatusDot tone="success">active</StatusDot>
    )
  ) : (
    <StatusDot tone="danger">deactivated</StatusDot>
  )

const NameAndEmail = ({ name, email, href }: { name: string; email: string; href?: string }) => (
  <>
    {href ? <a href={href}>{name}</a> : name}
    <div class="muted">{email}</div>
  </>
)

const memberColumns = (base: string, seen: Map<string, Date>): TableColumn<ClientMember>[] => [
  { label: 'Name', lead: true, cell: (m) => <NameAndEmail {...m} href={`${base}/users/${m.userId}`} /> },
  { label: 'Role', cell: (m) => m.role },
  { label: 'Status', cell: (m) => <MemberStatusDot member={m} /> },
  { label: 'Last sign-in', cell: (m) => <TimestampText at={seen.get(m.userId) ?? null} /> },
  { label: 'Connected apps', number: true, cell: (m) => m.apps },
]

type StaffMember = Awaited<ReturnType<typeof listStaffOfEvents>>[number]

const staffColumns = (at: ClientPageContext, csrf: string): TableColumn<StaffMember>[] => [
  { label: 'Name', lead: true, cell: (s) => <NameAndEmail name={s.name} email={s.email} /> },
  { label: 'Event', cell: (s) => s.event },
  { label: 'Role', cell: (s) => s.role },
  ...buildActionColumns<StaffMember>(at.mayChange, ({ name, event, userId, eventId }) => ({
    action: `${at.base}/users/staff/remove`,
    csrf,
    label: 'Remove',
    about: `${name} from ${event}`,
    hidden: { userId, eventId },
    danger: true,
  })),
]

interface InviteProps {
  at: ClientPageContext
  csrf: string
  form: FormValues
  formErrors: FormErrors | null
  events: { id: string; name: string }[]
}

const InviteCard = ({ at, csrf, form, formErrors, events }: InviteProps) => {
  const field = createFieldPropsGetter(form, formErrors)
  return (
    <FormCard
      title="Invite a user"
      action={`${at.base}/users`}
      csrf={csrf}
      submit="Invite"
      more={<span class="muted">New users get an email with a link to set a password. The link is valid for 72 hours.</span>}
    >
      <div class="fields-2">
        <Input {...field('email')} type="email" label="Email" autocomplete="off" required />
        <Input
          {...field('name')}
          label="Name"
          maxlength={160}
          autocomplete="off"
          required
          help="Users who already have an account keep their own name."
        />
        <Select {...field('role')} value={form['role'] ?? 'manager'} label="Role" options={ROLE_OPTIONS} />
        <Select
          {...field('where')}
          label="Access to"
          options={[{ value: '', label: `All of ${at.client.name}` }, ...events.map((e) => ({ value: e.id, label: `Only ${e.name}` }))]}
        />
      </div>
    </FormCard>
  )
}

/** `/console/clients/:code/users`: the members of a client and their roles. */
export function userPages(web: WebServices) {
  const path = '/console/clients/:code/users'

  async function page(c: WebContext, at: ClientPageContext, form: FormValues = {}, formErrors: FormErrors | null = null) {
    const { db } = at.reading
    const [members, staff, events] = await Promise.all([
      listClientMembers(at.reading),
      listStaffOfEvents(at.reading),
      listEvents(at.reading, { limit: 100 }),
    ])
    const seen = await readLastSeenTimes(
      db,
      members.map((m) => m.userId),
    )
    const csrf = getCsrfToken(web, c)
    const places = events.items.map((e) => ({ id: e.id, name: e.summary.name }))
    const shown = renderContentPage(
      { title: 'Users', text: `${members.length} ${members.length === 1 ? 'member' : 'members'} of ${at.client.name}`, formErrors },
      <>
        {at.mayChange ? null : <Notice>You can view this page. Only administrators can make changes.</Notice>}
        <ListCard title="Members" caption="Members" columns={memberColumns(at.base, seen)} rows={members} />
        {at.mayChange ? <InviteCard at={at} csrf={csrf} form={form} formErrors={formErrors} events={places} /> : null}
        {staff.length > 0 ? <ListCard title="Event staff" caption="Event staff" columns={staffColumns(at, csrf)} rows={staff} /> : null}
        <Card>
          <details>
            <summary>Permissions of each role</summary>
            <RolesTable />
          </details>
        </Card>
      </>,
    )
    return sendConsolePage(web, c, getNavigationPosition(at, 'users'), shown)
  }

  return createConsoleRouter(web)
    .get(path, (c) => page(c, getClientPageContext(web, c)))
    .post(path, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = getClientPageContextForChange(web, c)
      const given = {
        email: form['email'] || undefined,
        name: form['name'] || undefined,
        role: form['role'],
        eventId: form['where'] || undefined,
      }
      const read = validateFormFields(Invitation, given, labelOf)
      if ('errors' in read) return page(c, at, form, read)
      const formErrors = await catchFormErrors(async () => {
        await limitInvitations({ ...at.reading, db: web.services.database.write })
        const place = { client: at.client, action: 'invite_member', eventId: read.data.eventId ?? null }
        return runClientChange(web, at.session, place, (ctx) => inviteMember(ctx, read.data))
      }, labelOf)
      if (formErrors) return page(c, at, form, formErrors)
      return c.redirect(`${at.base}/users?done=invited`, 303)
    })
    .post(`${path}/staff/remove`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = getClientPageContextForChange(web, c)
      const named = { userId: form['userId'] ?? '', eventId: form['eventId'] ?? '' }
      if (!isConfirmed(form)) {
        const place = { ...getNavigationPosition(at, 'users'), back: `${at.base}/users` }
        const text = 'The user loses their role at this event and must reconnect their apps. Their role at the client does not change.'
        return sendConfirmPage(web, c, form, { title: 'Remove this user from the event?', text, button: 'Remove', ...place })
      }
      await runClientChange(web, at.session, { client: at.client, action: 'remove_staff', eventId: named.eventId }, (ctx) =>
        removeStaffRole(ctx, named),
      )
      return c.redirect(`${at.base}/users?done=removed`, 303)
    })
}
