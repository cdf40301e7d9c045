import { countCallInHourWindow } from '../../../domains/access/rate-windows.ts'
import { canManageMembers } from '../../../domains/groups/managers.ts'
import { revokeInvites } from '../../../domains/groups/revoke-invites.ts'
import { sendInvites } from '../../../domains/groups/send-invites.ts'
import { email as emailArgument } from '../../../kernel/args.ts'
import { recordChange } from '../../../kernel/audit.ts'
import { foldEmailCase, toEmailAddress } from '../../../kernel/email-address.ts'
import { AppError, type FieldError } from '../../../kernel/errors.ts'
import { RadioGroup } from '../components/choices.tsx'
import { SubmitForm } from '../components/form-page.tsx'
import { findFieldError, LinkButton, TextArea } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import { MainColumn, createEventRouter, toFormErrors } from '../event/event-layout.tsx'
import { getCsrfToken, type FormValues, type WebServices, type WebContext } from '../web.ts'
import {
  GROUP_MANAGER_PATH,
  type ManagedGroup,
  runGroupChange,
  findGroupClosedReason,
  withGroupManagerAccess,
  listInvitableRoles,
  showGroupPage,
  handleGroupManagerPost,
} from './group-access.tsx'

const PATH = `${GROUP_MANAGER_PATH}/invite`
const MAX_ADDRESSES = 50
const MAX_MESSAGE_LENGTH = 1000
/** Maximum number of invitation forms per hour. Any participant can create a group, so its emails are rate limited. */
const MAX_FORMS_PER_HOUR = 20

interface InviteFormState {
  emails?: string
  role?: string
  message?: string
  errors?: readonly FieldError[]
  wait?: boolean
}

/** `…/group/<code>/invite`: sends, resends and withdraws invitations. */
export function groupInvitePages(web: WebServices) {
  const show = (
    c: WebContext,
    at: ManagedGroup,
    { emails = '', role = 'member', message = '', errors = [], wait = false }: InviteFormState = {},
  ) => {
    const { site, home } = at
    const { say } = site.words
    const roles = listInvitableRoles(at)
    const formErrors = toFormErrors(site, errors, wait ? say('group.inviteWait') : undefined)
    return showGroupPage(
      web,
      c,
      at,
      { title: say('group.invite'), status: wait ? 429 : formErrors ? 400 : 200 },
      <MainColumn title={say('group.invite')} text={say('group.inviteText')} formErrors={formErrors}>
        <SubmitForm
          action={`${home}/invite`}
          csrf={getCsrfToken(web, c)}
          class="checkout-main"
          submit={say('group.inviteButton')}
          more={
            <LinkButton href={home} tone="quiet">
              {say('group.back')}
            </LinkButton>
          }
        >
          <Card>
            <div class="stack">
              <TextArea
                name="emails"
                label={say('group.emails')}
                help={say('group.emailsHelp', { most: MAX_ADDRESSES })}
                value={emails}
                rows={5}
                error={findFieldError(errors, 'emails')}
              />
              {roles.length > 1 ? (
                <div class="options-plain">
                  <RadioGroup
                    name="role"
                    legend={say('group.inviteAs')}
                    value={role}
                    options={roles.map((one) => ({ value: one, label: say(`group.role.${one}`) }))}
                  />
                </div>
              ) : null}
              <TextArea
                name="message"
                label={say('group.message')}
                optional={say('field.optional')}
                value={message}
                rows={3}
                error={findFieldError(errors, 'message')}
              />
            </div>
          </Card>
        </SubmitForm>
      </MainColumn>,
    )
  }

  const isAllowed = (at: ManagedGroup) => canManageMembers(at) && findGroupClosedReason(at) === null
  const mayStillSend = async ({ group }: ManagedGroup) =>
    (await countCallInHourWindow(web.services.database.pool, `group-invites:${group.id}`)) <= MAX_FORMS_PER_HOUR

  const send = async (c: WebContext, at: ManagedGroup, form: FormValues): Promise<Response> => {
    if (!isAllowed(at)) return c.redirect(at.home, 303)
    const { emails = '', message = '', role: asked = 'member' } = form
    const role = listInvitableRoles(at).find((one) => one === asked) ?? 'member'
    const addresses = [...new Set(emails.split(/[\s,;]+/).filter(Boolean))].map((address) => toEmailAddress(address) ?? address)
    const errors = validateInviteForm(at, addresses, message)
    if (errors.length > 0) return show(c, at, { emails, message, role, errors })
    if (!(await mayStillSend(at))) return show(c, at, { emails, message, role, wait: true })
    const invited = addresses.map((email) => ({ email, role }))
    return sent(c, at, (ctx) =>
      sendInvites(ctx, {
        groupCode: at.group.code,
        emails: invited,
        ...(message.trim() ? { message: message.trim() } : {}),
        resend: false,
      }),
    )
  }

  /** Handles an invitation form. If the group was closed meanwhile, redirects to its home page, which shows the reason. */
  const sent = async (
    c: WebContext,
    at: ManagedGroup,
    run: (ctx: ManagedGroup['ctx']) => ReturnType<typeof sendInvites>,
  ): Promise<Response> => {
    try {
      const { queued, skipped } = await runGroupChange(web, at, 'invite_to_group', run)
      const left = skipped.reduce((sum, { count }) => sum + count, 0)
      return c.redirect(`${at.home}?done=invited&sent=${queued}&skipped=${left}`, 303)
    } catch (error) {
      if (error instanceof AppError && error.code === 'precondition_failed') return c.redirect(at.home, 303)
      throw error
    }
  }

  const resendOrRevoke = async (c: WebContext, at: ManagedGroup, form: FormValues): Promise<Response> => {
    const [role, email = ''] = (form['resend'] ?? form['revoke'] ?? '').split(' ')
    const named = listInvitableRoles(at).find((one) => one === role)
    if (!isAllowed(at) || !named || !emailArgument().safeParse(email).success) return c.redirect(at.home, 303)
    if (form['revoke'] !== undefined) {
      await runGroupChange(web, at, 'revoke_group_invite', async (ctx) => {
        const count = await revokeInvites(ctx, at.group.id, { emails: [foldEmailCase(email)], role: named })
        if (count > 0) recordChange(ctx, { kind: 'group', id: at.group.id, after: { revokedInvite: email } })
      })
      return c.redirect(`${at.home}?done=revoked`, 303)
    }
    if (!(await mayStillSend(at))) return show(c, at, { emails: email, role: named, wait: true })
    return sent(c, at, (ctx) => sendInvites(ctx, { groupCode: at.group.code, emails: [{ email, role: named }], resend: true }))
  }

  return createEventRouter(web)
    .get(
      PATH,
      withGroupManagerAccess(web, (c, at): Response | Promise<Response> => (isAllowed(at) ? show(c, at) : c.redirect(at.home, 303))),
    )
    .post(PATH, handleGroupManagerPost(web, send))
    .post(`${GROUP_MANAGER_PATH}/invites`, handleGroupManagerPost(web, resendOrRevoke))
}

function validateInviteForm({ site }: ManagedGroup, addresses: readonly string[], message: string): FieldError[] {
  const { say } = site.words
  const wrong = addresses.find((address) => !emailArgument().safeParse(address).success)
  return [
    ...(addresses.length === 0 ? [{ path: 'emails', message: say('group.noEmails') }] : []),
    ...(addresses.length > MAX_ADDRESSES ? [{ path: 'emails', message: say('group.tooMany', { most: MAX_ADDRESSES }) }] : []),
    ...(wrong === undefined ? [] : [{ path: 'emails', message: say('group.badEmail', { email: wrong.slice(0, 80) }) }]),
    ...(message.trim().length > MAX_MESSAGE_LENGTH
      ? [{ path: 'message', message: say('group.longMessage', { most: MAX_MESSAGE_LENGTH }) }]
      : []),
  ]
}
