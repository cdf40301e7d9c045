import type { Child } from 'hono/jsx'
import { sendInvites } from '../../../../domains/groups/send-invites.ts'
import { GROUP_ROLES } from '../../../../domains/groups/tables.ts'
import { email, list, object, oneOf } from '../../../../kernel/args.ts'
import { hashCanonicalJson } from '../../../../kernel/canonical.ts'
import { toDayInZone } from '../../../../kernel/time.ts'
import { formatDate } from '../../components/dates.ts'
import { formatInteger } from '../../components/figures.tsx'
import { ChangeEffectList } from '../../components/outcome.tsx'
import { renderChangePreviewPage } from '../../components/preview-then-confirm.tsx'
import { type FieldLabelLookup, validateFormFields, catchFormErrors } from '../../fields.ts'
import { getCsrfToken, type WebServices } from '../../web.ts'
import { issueConfirmToken, requireConfirmation } from '../confirmation.ts'
import { runEventChange, previewEventChange } from '../event/event-page.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { type GroupPageContext, getGroupPageContext, CONSOLE_GROUP_PATH } from './group-page.ts'
import { sendGroupPage } from './page.tsx'

const MAX_INVITATIONS = 500
const labelOf: FieldLabelLookup = (path) => (path.startsWith('emails') ? 'Email addresses' : '')
const Invitation = object({
  emails: list(email(), MAX_INVITATIONS).min(1, 'enter at least one address'),
  role: oneOf(GROUP_ROLES).default('member'),
})

type Invited = Awaited<ReturnType<typeof sendInvites>>

const SKIPPED: Record<Invited['skipped'][number]['reason'], (count: number) => string> = {
  already_member: (count) => `${people(count)} already in the group ${count === 1 ? 'is' : 'are'} skipped.`,
  open_invite: (count) => `${people(count)} with an open invitation ${count === 1 ? 'is' : 'are'} skipped. Use Resend to send it again.`,
  unsubscribed: (count) => `${people(count)} who unsubscribed ${count === 1 ? 'is' : 'are'} skipped.`,
  bounced: (count) => `${people(count)} whose address does not accept emails ${count === 1 ? 'is' : 'are'} skipped.`,
}

const people = (count: number) => (count === 1 ? '1 person' : `${formatInteger(count)} people`)

function describeInvites({ queued, invites, skipped, warnings }: Invited, resend: boolean, { group, event }: GroupPageContext): Child[] {
  const expiresAt = invites[0]?.expiresAt
  return [
    expiresAt === undefined ? (
      'No email is sent.'
    ) : (
      <>
        <b>{queued === 1 ? '1 email' : `${formatInteger(queued)} emails`}</b> {queued === 1 ? 'is' : 'are'} sent with a personal link, valid
        until {formatDate(toDayInZone(event.timezone, new Date(expiresAt)))}.
      </>
    ),
    ...(resend ? ['The link in the earlier email stops working.'] : []),
    ...skipped.map(({ reason, count }) => SKIPPED[reason](count)),
    ...warnings,
    ...(group.payBy === 'group' && queued > 0 ? ['What each person orders is added to the group’s bill.'] : []),
  ]
}

/** `…/groups/<code>/invites`: shows a dry run of the invitations, then emails them. */
export function groupInviteRoutes(web: WebServices) {
  return createConsoleRouter(web).post(`${CONSOLE_GROUP_PATH}/invites`, async (c) => {
    const form = await requireConsoleForm(web, c)
    const at = await getGroupPageContext(web, c, 'registration.write')
    const addresses = (form['emails'] ?? '').split(/[\s,;]+/).filter(Boolean)
    const read = validateFormFields(Invitation, { emails: addresses, role: form['role'] || undefined }, labelOf)
    if ('errors' in read)
      return sendGroupPage(web, c, at, { form, formErrors: { errors: read.errors.map((error) => ({ ...error, path: 'emails' })) } })
    const resend = form['resend'] === 'on'
    const request = {
      groupCode: at.group.code,
      emails: read.data.emails.map((one) => ({ email: one, role: read.data.role })),
      resend,
    }
    const call = { action: 'send_group_invite', of: hashCanonicalJson(request).toString('base64url') }
    let made: (Invited & { confirmToken: string }) | null = null
    const confirmToken = form['confirmToken']
    const dryRun = async () => {
      made = await previewEventChange(web, at, 'send_group_invite', async (ctx) => ({
        ...(await sendInvites(ctx, request)),
        confirmToken: await issueConfirmToken(ctx, call),
      }))
    }
    const send = () =>
      runEventChange(web, at, 'send_group_invite', async (ctx) => {
        await sendInvites(ctx, request)
        await requireConfirmation(ctx, call, confirmToken)
      })
    const errors = await catchFormErrors(confirmToken ? send : dryRun, labelOf)
    if (!errors && confirmToken) return c.redirect(`${at.here}?done=invitations`, 303)
    if (errors && errors.reason !== 'unconfirmed') return sendGroupPage(web, c, at, { form, formErrors: errors })
    if (errors) await dryRun()
    const { queued } = made!
    const page = renderChangePreviewPage({
      title: `Invite people to ${at.group.name}`,
      crumbs: [{ href: at.here, label: at.group.name }],
      formErrors: errors ? { message: 'What will happen has changed. Check it again, then confirm.' } : null,
      action: `${at.here}/invites`,
      csrf: getCsrfToken(web, c),
      hidden: {
        emails: form['emails'],
        role: form['role'],
        resend: form['resend'],
        ...(queued > 0 ? { confirmToken: made!.confirmToken } : {}),
      },
      effects: <ChangeEffectList effects={describeInvites(made!, resend, at)} />,
      submit: queued === 0 ? 'Check again' : queued === 1 ? 'Send 1 invitation' : `Send ${formatInteger(queued)} invitations`,
      tone: 'primary',
      back: { href: at.here, label: 'Cancel' },
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'groups'), page)
  })
}
