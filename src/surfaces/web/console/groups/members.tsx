import type { Child } from 'hono/jsx'
import { editLeaders } from '../../../../domains/groups/leaders.ts'
import { listGroups } from '../../../../domains/groups/list.ts'
import { updateMembers } from '../../../../domains/groups/members.ts'
import { toMembersUpdateResult } from '../../../../domains/groups/members-update-result.ts'
import { participantReferenceSchema } from '../../../../domains/registration/find/resolve-participant.ts'
import { getParticipants } from '../../../../domains/registration/participant-rows.ts'
import { formatParticipantName } from '../../../../domains/registration/participant-shape.ts'
import { list, object } from '../../../../kernel/args.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { isId } from '../../../../kernel/ids.ts'
import { AppError, notFound, preconditionFailed } from '../../../../kernel/errors.ts'
import { formatInteger } from '../../components/figures.tsx'
import { FormCard } from '../../components/form-page.tsx'
import { Checkbox, Select } from '../../components/forms.tsx'
import { BoldNameList, ChangeEffectList } from '../../components/outcome.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { renderChangePreviewPage } from '../../components/preview-then-confirm.tsx'
import { type FieldLabelLookup, type FormErrors, validateFormFields, catchFormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { CONFIRM_PAGE_BUTTON, isConfirmed } from '../confirm-page.tsx'
import { runEventChange, previewEventChange } from '../event/event-page.ts'
import { formatAmountWithCurrency } from '../money/amounts.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { getParticipantRow } from '../people/participant-page.ts'
import { type GroupPageContext, getGroupPageContext, CONSOLE_GROUP_PATH, readGroupSeats } from './group-page.ts'
import { sendGroupPage } from './page.tsx'

const MAX_PEOPLE = 500
const labelOf: FieldLabelLookup = (path) => (path.startsWith('people') ? 'Registered people' : '')
const People = object({ people: list(participantReferenceSchema(), MAX_PEOPLE).min(1, 'enter at least one person') })

type Result = Awaited<ReturnType<typeof toMembersUpdateResult>>

interface MembersChange {
  action: 'add' | 'remove' | 'move'
  people: readonly string[]
  /** Whether the registrations of removed members are cancelled too. */
  cancel: boolean
  moveOrders: boolean
  overrideMax: boolean
  /** The group that members are moved to. */
  to: string
}

interface Made extends Result {
  names: ReadonlyMap<string, string>
}

const KEPT_REASONS: Record<Result['notMoved'][number]['reason'], string> = {
  paid: 'it is already paid',
  fee_or_deposit: 'fees and deposits are not moved',
  not_requested: 'the person pays it',
  other_group: 'another group pays it',
  left_group: 'the group still pays for what was bought',
}

/** Changes the members. Used for both the dry run and the actual change. A move is a removal and an addition in one transaction. */
async function changeMembers(ctx: EventContext, { group }: GroupPageContext, change: MembersChange): Promise<Made> {
  const names = await readNames(ctx, change.people)
  const shared = { add: [], remove: [], moveOrders: false, overrideMax: false, partial: false }
  const remove = change.action === 'add' ? [] : change.people.map((participantId) => ({ participantId, cancel: change.cancel }))
  const add = change.people.map((participantId) => ({ participantId }))
  if (change.action !== 'move') {
    const here = change.action === 'add' ? { add, moveOrders: change.moveOrders, overrideMax: change.overrideMax } : { remove }
    return { ...(await toMembersUpdateResult(ctx, await updateMembers(ctx, { ...shared, ...here, groupCode: group.code }))), names }
  }
  const left = await updateMembers(ctx, { ...shared, remove, groupCode: group.code })
  const joined = await toMembersUpdateResult(ctx, await updateMembers(ctx, { ...shared, add, groupCode: change.to }))
  return { ...joined, notMoved: [...left.notMoved, ...joined.notMoved.filter(({ reason }) => reason !== 'other_group')], names }
}

async function readNames(ctx: EventContext, people: readonly string[]): Promise<Map<string, string>> {
  const rows = await getParticipants(ctx, people.filter(isId))
  const names = new Map(rows.map((row) => [row.id, formatParticipantName(row) || row.email || 'No name yet']))
  return new Map(people.map((named) => [named, names.get(named) ?? named]))
}

function describeChange(made: Made, change: MembersChange, { group }: GroupPageContext, target: string): Child[] {
  const who = <BoldNameList names={[...made.names.values()]} />
  const one = made.names.size === 1
  const sentences: Child[] = []
  if (change.action === 'add')
    sentences.push(
      <>
        {who} {one ? 'joins' : 'join'} <bdi>{group.name}</bdi>, which then has {readGroupSeats(made).text} members.
      </>,
    )
  if (change.action === 'move')
    sentences.push(
      <>
        {who} {one ? 'leaves' : 'leave'} <bdi>{group.name}</bdi> and {one ? 'joins' : 'join'} <bdi>{target}</bdi>.
      </>,
    )
  if (change.action === 'remove')
    sentences.push(
      change.cancel ? (
        <>The registration of {who} is cancelled, with a refund by the refund terms. No email is sent.</>
      ) : (
        <>
          {who} {one ? 'leaves' : 'leave'} <bdi>{group.name}</bdi> and {one ? 'stays' : 'stay'} registered. No email is sent.
        </>
      ),
    )
  if (made.moved > 0)
    sentences.push(`${made.moved === 1 ? '1 unpaid order moves' : `${formatInteger(made.moved)} unpaid orders move`} to the group’s bill.`)
  if (made.invoice)
    sentences.push(
      <>
        Invoice <b>{made.invoice.number}</b> of <b>{formatAmountWithCurrency(made.invoice.total)}</b> is issued to the group.
      </>,
    )
  for (const kept of made.notMoved.slice(0, 10))
    sentences.push(
      <>
        <b>{formatAmountWithCurrency(kept.amount)}</b> stays on order {kept.orderNumber}: {KEPT_REASONS[kept.reason]}.
      </>,
    )
  if (made.order)
    sentences.push(
      <>
        The bill of <bdi>{change.action === 'move' ? target : group.name}</bdi> is then <b>{formatAmountWithCurrency(made.order.total)}</b>,
        of which <b>{formatAmountWithCurrency(made.order.balance)}</b> is open.
      </>,
    )
  return sentences
}

const readChange = (form: FormValues): Omit<MembersChange, 'people'> => ({
  action: form['action'] === 'remove' ? 'remove' : form['action'] === 'move' ? 'move' : 'add',
  cancel: form['cancel'] === 'yes',
  moveOrders: form['moveOrders'] === 'on',
  overrideMax: form['overrideMax'] === 'on',
  to: form['to'] ?? '',
})

/** `…/groups/<code>/members`: adds, removes and moves members, and changes their role. */
export function groupMemberRoutes(web: WebServices) {
  async function memberPage(c: WebContext, at: GroupPageContext, id: string, formErrors: FormErrors | null = null) {
    if (!isId(id)) throw notFound('This member does not exist')
    const row = await getParticipantRow(at.reading, id)
    if (row.group_id !== at.group.id) throw notFound('This member does not exist')
    const name = formatParticipantName(row) || row.email || 'No name yet'
    const csrf = getCsrfToken(web, c)
    const action = `${at.here}/members`
    const { groups } = await listGroups({ ...at.reading, cursorScope: '' }, { status: 'open', limit: 100 })
    const others = groups.filter(({ id: other, isTestData }) => other !== at.group.id && isTestData === at.group.isTestData)
    const page = renderContentPage(
      { title: name, crumbs: [{ href: at.here, label: at.group.name }], formErrors },
      <div class="grid">
        <FormCard
          title={row.group_leader ? 'Role: leader' : 'Role: member'}
          action={action}
          csrf={csrf}
          hidden={{ action: row.group_leader ? 'no-leader' : 'leader', participantId: id }}
          submit={row.group_leader ? 'Make a member' : 'Make a leader'}
          tone="plain"
        >
          <p>Leaders see the list of members and correct answers. They see no amounts.</p>
        </FormCard>
        {others.length > 0 ? (
          <FormCard
            title="Move to another group"
            action={action}
            csrf={csrf}
            hidden={{ action: 'move', participantId: id }}
            submit="Move…"
            tone="plain"
          >
            <Select name="to" label="Group" options={others.map(({ code, name: label }) => ({ value: code, label }))} />
          </FormCard>
        ) : null}
        <FormCard
          title="Remove from the group"
          action={action}
          csrf={csrf}
          hidden={{ action: 'remove', participantId: id }}
          submit="Remove from the group…"
          tone="danger"
        >
          <p>The person stays registered. The next page shows what happens to the bill before anything is saved.</p>
          <Checkbox name="cancel" value="yes" label="Also cancel the registration" />
        </FormCard>
      </div>,
    )
    return sendConsolePage(web, c, getNavigationPosition(at, 'groups'), page)
  }

  function preview(c: WebContext, at: GroupPageContext, form: FormValues, change: MembersChange, made: Made, target: string) {
    const name = [...made.names.values()].join(', ')
    const titles = {
      add: `Add people to ${at.group.name}`,
      remove: `Remove ${name} from ${at.group.name}`,
      move: `Move ${name} to ${target}`,
    }
    const buttons = {
      add: made.added === 1 ? 'Add 1 person' : `Add ${formatInteger(made.added)} people`,
      remove: change.cancel ? 'Remove and cancel the registration' : 'Remove',
      move: 'Move',
    }
    const { action, people, participantId, cancel, moveOrders, overrideMax, to } = form
    const danger = change.action === 'remove'
    const page = renderChangePreviewPage({
      title: titles[change.action],
      crumbs: [{ href: at.here, label: at.group.name }],
      action: `${at.here}/members`,
      csrf: getCsrfToken(web, c),
      hidden: { action, people, participantId, cancel, moveOrders, overrideMax, to },
      effects: <ChangeEffectList danger={danger} effects={describeChange(made, change, at, target)} />,
      submit: buttons[change.action],
      submitAs: CONFIRM_PAGE_BUTTON,
      tone: danger ? 'danger primary' : 'primary',
      back: { href: at.here, label: 'Cancel' },
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'groups'), page)
  }

  return createConsoleRouter(web)
    .get(`${CONSOLE_GROUP_PATH}/members/:member`, async (c) =>
      memberPage(c, await getGroupPageContext(web, c, 'registration.write'), c.req.param('member')),
    )
    .post(`${CONSOLE_GROUP_PATH}/members`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getGroupPageContext(web, c, 'registration.write')
      const refuse = (formErrors: FormErrors) =>
        form['participantId'] ? memberPage(c, at, form['participantId'], formErrors) : sendGroupPage(web, c, at, { form, formErrors })
      if (form['participantId'] && !isId(form['participantId'])) throw notFound('This member does not exist')
      if (form['action'] === 'leader' || form['action'] === 'no-leader') {
        const people = [form['participantId'] ?? '']
        const change = form['action'] === 'leader' ? { add: people, remove: [] } : { add: [], remove: people }
        const errors = await catchFormErrors(
          () => runEventChange(web, at, 'update_managed_group_leaders', (ctx) => editLeaders(ctx, { groupCode: at.group.code, ...change })),
          labelOf,
        )
        return errors ? refuse(errors) : c.redirect(`${at.here}?done=saved`, 303)
      }
      const lines = (form['people'] ?? '').split(/[\n,;]/).map((line) => line.trim())
      const read = validateFormFields(People, { people: form['participantId'] ? [form['participantId']] : lines.filter(Boolean) }, labelOf)
      if ('errors' in read) return refuse({ errors: read.errors.map((error) => ({ ...error, path: 'people' })) })
      const change: MembersChange = { ...readChange(form), people: [...new Set(read.data.people)] }
      const target = change.action === 'move' ? await nameOfGroup(at, change.to) : ''
      let made: Made | null = null
      const run = (ctx: EventContext) => changeMembers(ctx, at, change).catch(showInForm)
      const errors = await catchFormErrors(async () => {
        made = await (isConfirmed(form) ? runEventChange : previewEventChange)(web, at, 'update_managed_group_members', run)
      }, labelOf)
      if (errors) return refuse(errors)
      if (change.action === 'add' && made!.added === 0) return refuse({ message: 'These people are already in the group.' })
      return isConfirmed(form) ? c.redirect(`${at.here}?done=saved`, 303) : preview(c, at, form, change, made!, target)
    })
}

/** Turns the error about an unknown email address into an error of the form, instead of the page for a missing record. */
function showInForm(error: unknown): never {
  throw error instanceof AppError && error.code === 'not_found' ? preconditionFailed(error.message) : error
}

async function nameOfGroup(at: GroupPageContext, code: string): Promise<string> {
  const { groups } = await listGroups({ ...at.reading, cursorScope: '' }, { status: 'open', limit: 100 })
  const found = groups.find((group) => group.code === code)
  if (!found) throw notFound('This group does not exist')
  return found.name
}
