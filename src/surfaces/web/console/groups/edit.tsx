import { setAdmins, type GroupAdmin } from '../../../../domains/groups/admins.ts'
import { createGroup } from '../../../../domains/groups/create.ts'
import type { GroupOrderBalance } from '../../../../domains/groups/bills.ts'
import { deleteGroup } from '../../../../domains/groups/delete.ts'
import { editGroup } from '../../../../domains/groups/edit-group.ts'
import { GROUP_RECORD } from '../../../../domains/groups/group-record.ts'
import { GROUP_KINDS } from '../../../../domains/groups/tables.ts'
import { readDraftConfiguration, readLiveConfiguration } from '../../../../domains/configuration/read.ts'
import { code, email, list, name, object, oneOf, text } from '../../../../kernel/args.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { formatInteger } from '../../components/figures.tsx'
import { createFieldPropsGetter, renderFormPage } from '../../components/form-page.tsx'
import { Input, LinkButton, Select, TextArea } from '../../components/forms.tsx'
import { ChangeEffectList } from '../../components/outcome.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { Notice } from '../../components/parts.tsx'
import { renderChangePreviewPage } from '../../components/preview-then-confirm.tsx'
import { type FieldLabelLookup, type FormErrors, validateFormFields, catchFormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { CONFIRM_PAGE_BUTTON, isConfirmed } from '../confirm-page.tsx'
import { issueConfirmToken, requireConfirmation } from '../confirmation.ts'
import { runEventChange, type EventPageContext, getEventPageContext, previewEventChange } from '../event/event-page.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { formatAmountWithCurrency, isZeroMoney, moneyToMinorUnits, negateMoney } from '../money/amounts.ts'
import {
  type GroupPageContext,
  getGroupPageContext,
  CONSOLE_GROUP_PATH,
  GROUPS_PATH,
  GROUP_KIND_OPTIONS,
  readGroupSeats,
  GROUP_SEATS_FIELD,
} from './group-page.ts'

const LABELS: Record<string, string> = {
  name: 'Name',
  kind: 'Kind',
  status: 'New members',
  seats: 'Seats',
  payBy: 'Who pays',
  flowSlug: 'Registration form',
  admins: 'Admins',
  company: 'Company on invoices',
  email: 'Email for invoices',
}
const labelOf: FieldLabelLookup = (path) => LABELS[path.replace('billTo/', '').split('/')[0]!] ?? ''

const PAYERS = [
  { value: 'group', label: 'The group, on one bill' },
  { value: 'members', label: 'Each member' },
]
const STATUSES = [
  { value: 'open', label: 'Can join' },
  { value: 'closed', label: 'Cannot join' },
]

const GroupInput = object({
  name: name(),
  kind: oneOf(GROUP_KINDS),
  seats: GROUP_RECORD.fields[GROUP_SEATS_FIELD].type.nullable(),
  payBy: oneOf(['group', 'members']),
  status: oneOf(['open', 'closed']).default('open'),
  flowSlug: code().optional(),
  billTo: object({ company: text(200).nullable(), email: email().nullable() }),
  admins: list(object({ email: email(), name: name() }), 20),
})

type EditedGroup = Awaited<ReturnType<typeof editGroup>>['group']

/** Reads the admins of a group, one per line: the email address, then the name. */
const readAdmins = (lines: string): GroupAdmin[] =>
  lines
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const [address = '', ...words] = line.split(/[\s,;]+/)
      return { email: address, name: words.join(' ') || address }
    })

const writeAdmins = (admins: readonly GroupAdmin[]) => admins.map((admin) => `${admin.email} ${admin.name}`).join('\n')

function readGroupForm(form: FormValues) {
  const read = validateFormFields(
    GroupInput,
    {
      name: form['name'] ?? '',
      kind: form['kind'],
      seats: form['seats']?.trim() ? Number(form['seats']) : null,
      payBy: form['payBy'],
      status: form['status'] || undefined,
      flowSlug: form['flowSlug'] || undefined,
      // Null removes the stored value. The form does not contain the other fields of the billing address, so they stay unchanged.
      billTo: { company: form['company']?.trim() || null, email: form['email']?.trim() || null },
      admins: readAdmins(form['admins'] ?? ''),
    },
    labelOf,
  )
  // One text field contains all admins, so it shows the errors of all of them.
  if ('errors' in read)
    return { errors: read.errors.map((error) => ({ ...error, path: error.path.replace('billTo/', '').split('/')[0]! })) }
  const { seats, ...data } = read.data
  return { data: { ...data, [GROUP_SEATS_FIELD]: seats } }
}

const valuesOf = ({ group, details }: GroupPageContext): FormValues => ({
  name: group.name,
  kind: group.kind,
  seats: String(readGroupSeats(group).seats ?? ''),
  payBy: group.payBy,
  status: group.status,
  company: group.billTo.company ?? '',
  email: group.billTo.email ?? '',
  admins: writeAdmins(details.admins),
  revision: String(group.revision),
})

const GroupFields = ({
  form,
  formErrors,
  flows,
  isNew,
}: {
  form: FormValues
  formErrors: FormErrors | null
  flows: readonly { slug: string; name: string }[]
  isNew: boolean
}) => {
  const fields = createFieldPropsGetter(form, formErrors)
  return (
    <>
      <Input {...fields('name')} label="Name" maxlength={200} required autocomplete="off" />
      <div class="form-grid">
        <Select {...fields('kind')} label="Kind" options={GROUP_KIND_OPTIONS} />
        <Input {...fields('seats')} type="number" label="Seats" optional="(optional)" min={1} max={10_000} />
        <Select {...fields('payBy')} label="Who pays" options={PAYERS} />
        {isNew ? (
          <Select
            {...fields('flowSlug')}
            label="Registration form"
            options={flows.map(({ slug, name: label }) => ({ value: slug, label }))}
          />
        ) : (
          <Select {...fields('status')} label="New members" options={STATUSES} />
        )}
      </div>
      <div class="form-grid">
        <Input {...fields('company')} label="Company on invoices" optional="(optional)" maxlength={200} autocomplete="off" />
        <Input
          {...fields('email')}
          type="email"
          label="Email for invoices"
          optional="(optional)"
          help="If empty, the first admin gets them."
          autocomplete="off"
        />
      </div>
      <TextArea
        {...fields('admins')}
        label="Admins"
        rows={3}
        help="One per line: email address, then name. Admins manage the group and its members."
      />
    </>
  )
}

/** Describes the effects of an edit on money and access, which are confirmed before they are saved. Other fields are saved directly. */
function describeGroupEdit({ payBy, billTo }: EditedGroup, changed: readonly string[], removedAdmins: readonly string[]): string[] {
  const recipient = [billTo.company, billTo.email].filter(Boolean).join(', ')
  return [
    ...(changed.includes('payBy')
      ? [
          payBy === 'group'
            ? 'The group pays from now on: what members order is added to its bill.'
            : 'Each member pays from now on: what members order is invoiced to them.',
        ]
      : []),
    ...(changed.includes('billTo')
      ? [`Future invoices go to ${recipient || 'the first admin'}. Invoices that are already issued keep their address.`]
      : []),
    ...removedAdmins.map((address) => `${address} can no longer manage the group.`),
  ]
}

const describeUnsettledBill = ({ balance, orderNumber }: GroupOrderBalance): string =>
  moneyToMinorUnits(balance) > 0
    ? `${formatAmountWithCurrency(balance)} is still open on order ${orderNumber}. Record the payment or write it off, then delete the group.`
    : `Order ${orderNumber} has a credit of ${formatAmountWithCurrency(negateMoney(balance))}. Refund it, then delete the group.`

/** `…/groups/new`, `…/groups/<code>/edit` and `…/groups/<code>/delete`: creates, edits and deletes a group. */
export function groupEditPages(web: WebServices) {
  async function listFlows(at: EventPageContext) {
    const draft = await readDraftConfiguration(at.reading)
    return ((await readLiveConfiguration(at.reading, draft)) ?? draft).config.flows.filter(({ retired }) => !retired)
  }

  async function newPage(c: WebContext, at: EventPageContext, form: FormValues = {}, formErrors: FormErrors | null = null) {
    const page = renderFormPage({
      title: 'New group',
      text: 'No email is sent. You invite people afterwards.',
      crumbs: [{ href: `${at.base}/groups`, label: 'Groups' }],
      formErrors,
      action: `${at.base}/groups/new`,
      csrf: getCsrfToken(web, c),
      submit: 'Create group',
      cancel: `${at.base}/groups`,
      children: <GroupFields form={form} formErrors={formErrors} flows={await listFlows(at)} isNew />,
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'groups'), page)
  }

  function editPage(c: WebContext, at: GroupPageContext, form: FormValues = valuesOf(at), formErrors: FormErrors | null = null) {
    const page = renderFormPage({
      title: `Edit ${at.group.name}`,
      heading: 'Edit group',
      crumbs: [
        { href: `${at.base}/groups`, label: 'Groups' },
        { href: at.here, label: at.group.name },
      ],
      formErrors,
      action: `${at.here}/edit`,
      csrf: getCsrfToken(web, c),
      hidden: { revision: form['revision'] ?? String(at.group.revision) },
      submit: 'Save',
      cancel: at.here,
      more: (
        <a class="button danger at-end" href={`${at.here}/delete`}>
          Delete group…
        </a>
      ),
      children: <GroupFields form={form} formErrors={formErrors} flows={[]} isNew={false} />,
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'groups'), page)
  }

  function confirmEditPage(c: WebContext, at: GroupPageContext, { _csrf, ...hidden }: FormValues, effects: readonly string[]) {
    const page = renderChangePreviewPage({
      title: `Edit ${at.group.name}`,
      heading: 'Edit group',
      crumbs: [{ href: at.here, label: at.group.name }],
      action: `${at.here}/edit`,
      csrf: getCsrfToken(web, c),
      hidden,
      effects: <ChangeEffectList effects={effects} />,
      submit: 'Save',
      submitAs: CONFIRM_PAGE_BUTTON,
      tone: 'primary',
      back: { href: `${at.here}/edit`, label: 'Cancel' },
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'groups'), page)
  }

  const deleteCall = (at: GroupPageContext) => ({ action: 'delete_managed_group', of: at.group.id })

  async function deletePage(c: WebContext, at: GroupPageContext, formErrors: FormErrors | null = null) {
    let made: { membersDetached: number; invitesRevoked: number; confirmToken: string } | null = null
    const refused = await catchFormErrors(async () => {
      made = await previewEventChange(web, at, 'delete_managed_group', async (ctx) => ({
        ...(await deleteGroup(ctx, { groupCode: at.group.code, cancelMembers: false })),
        confirmToken: await issueConfirmToken(ctx, deleteCall(at)),
      }))
    }, labelOf)
    const done = made as { membersDetached: number; invitesRevoked: number; confirmToken: string } | null
    const head = { title: `Delete ${at.group.name}?`, crumbs: [{ href: at.here, label: at.group.name }], formErrors }
    if (!done) {
      const blocked = renderContentPage(
        { ...head, heading: `${at.group.name} cannot be deleted yet` },
        <>
          <Notice tone="warning">
            {at.bill && !isZeroMoney(at.bill.balance) ? describeUnsettledBill(at.bill) : (refused?.message ?? '')}
          </Notice>
          <div class="row">
            {at.bill ? (
              <LinkButton href={`${at.base}/money/orders/${encodeURIComponent(at.bill.orderNumber)}`} tone="primary">
                {`Open order ${at.bill.orderNumber}`}
              </LinkButton>
            ) : null}
            <LinkButton href={at.here}>Back to the group</LinkButton>
          </div>
        </>,
      )
      return sendConsolePage(web, c, getNavigationPosition(at, 'groups'), blocked)
    }
    const { membersDetached: members, invitesRevoked: invites } = done
    const page = renderChangePreviewPage({
      ...head,
      action: `${at.here}/delete`,
      csrf: getCsrfToken(web, c),
      hidden: { confirmToken: done.confirmToken },
      effects: (
        <ChangeEffectList
          danger
          effects={[
            'The group is deleted. This cannot be undone.',
            members === 0
              ? 'The group has no members.'
              : `${members === 1 ? '1 member leaves' : `${formatInteger(members)} members leave`} the group and ${members === 1 ? 'stays' : 'stay'} registered.`,
            ...(invites > 0
              ? [`${invites === 1 ? '1 open invitation stops' : `${formatInteger(invites)} open invitations stop`} working.`]
              : []),
            'Its bill is kept.',
          ]}
        />
      ),
      submit: 'Delete group',
      back: { href: at.here, label: 'Keep group' },
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'groups'), page)
  }

  return createConsoleRouter(web)
    .get(`${GROUPS_PATH}/new`, async (c) => newPage(c, await getEventPageContext(web, c, 'registration.write')))
    .post(`${GROUPS_PATH}/new`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getEventPageContext(web, c, 'registration.write')
      const read = readGroupForm(form)
      if ('errors' in read) return newPage(c, at, form, read)
      const { status: _status, flowSlug = (await listFlows(at))[0]?.slug ?? '', ...fields } = read.data
      let made = ''
      const errors = await catchFormErrors(async () => {
        const { group } = await runEventChange(web, at, 'create_managed_group', (ctx) => createGroup(ctx, { ...fields, flowSlug }))
        made = group.code
      }, labelOf)
      return errors ? newPage(c, at, form, errors) : c.redirect(`${at.base}/groups/${made}?done=saved`, 303)
    })
    .get(`${CONSOLE_GROUP_PATH}/edit`, async (c) => editPage(c, await getGroupPageContext(web, c, 'registration.write')))
    .post(`${CONSOLE_GROUP_PATH}/edit`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getGroupPageContext(web, c, 'registration.write')
      const read = readGroupForm(form)
      if ('errors' in read) return editPage(c, at, form, read)
      const { admins, flowSlug: _flow, ...fields } = read.data
      const edit = async (ctx: EventContext): Promise<string[]> => {
        const edited = await editGroup(ctx, { groupCode: at.group.code, ...fields, ifRevision: Number(form['revision']) || 1 })
        if (writeAdmins(admins) === writeAdmins(at.details.admins)) return describeGroupEdit(edited.group, edited.changed, [])
        const { removed } = await setAdmins(ctx, { groupCode: at.group.code, admins, ifRevision: edited.group.revision })
        return describeGroupEdit(edited.group, edited.changed, removed)
      }
      let effects: string[] = []
      const errors = await catchFormErrors(async () => {
        if (!isConfirmed(form)) effects = await previewEventChange(web, at, 'update_managed_group', edit)
        if (effects.length === 0) await runEventChange(web, at, 'update_managed_group', edit)
      }, labelOf)
      if (errors?.reason === 'movedOn')
        return editPage(c, at, form, { message: 'Another user changed this group in the meantime. Open it again before you save.' })
      if (errors) return editPage(c, at, form, errors)
      return effects.length > 0 ? confirmEditPage(c, at, form, effects) : c.redirect(`${at.here}?done=saved`, 303)
    })
    .get(`${CONSOLE_GROUP_PATH}/delete`, async (c) => deletePage(c, await getGroupPageContext(web, c, 'registration.write')))
    .post(`${CONSOLE_GROUP_PATH}/delete`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getGroupPageContext(web, c, 'registration.write')
      const errors = await catchFormErrors(
        () =>
          runEventChange(web, at, 'delete_managed_group', async (ctx) => {
            await deleteGroup(ctx, { groupCode: at.group.code, cancelMembers: false })
            await requireConfirmation(ctx, deleteCall(at), form['confirmToken'])
          }),
        labelOf,
      )
      if (errors?.reason === 'unconfirmed')
        return deletePage(c, at, { message: 'The group has changed or your confirmation has expired. Review again what will happen.' })
      return errors ? deletePage(c, at, errors) : c.redirect(`${at.base}/groups?done=deleted`, 303)
    })
}
