import type { GetFormValues } from '../../../domains/checkout/sent-page.ts'
import { editMember, getMember, listMemberQuestions } from '../../../domains/groups/edit-member.ts'
import { type MemberRemovalRefund, canCancelMemberRegistrations, removeMemberByManager } from '../../../domains/groups/remove-as-manager.ts'
import { canManageMembers } from '../../../domains/groups/managers.ts'
import { formatParticipantName, type ParticipantRow } from '../../../domains/registration/participant-shape.ts'
import { AppError, type FieldError } from '../../../kernel/errors.ts'
import { formatMoney } from '../../../kernel/language/format.ts'
import { SubmitForm } from '../components/form-page.tsx'
import { Button, Checkbox, Form } from '../components/forms.tsx'
import { Card, DescriptionList, StatusLabel } from '../components/parts.tsx'
import { MainColumn, createEventRouter, toFormErrors } from '../event/event-layout.tsx'
import type { EventSite } from '../event/event-site.ts'
import { listFieldValues } from '../form-values.ts'
import { getCsrfToken, type FormValues, type WebServices, type WebContext } from '../web.ts'
import {
  GROUP_MANAGER_PATH,
  type ManagedGroup,
  runGroupChange,
  withGroupManagerAccess,
  isGroupChangeable,
  previewGroupChange,
  showGroupPage,
  handleGroupManagerPost,
} from './group-access.tsx'
import { MEMBER_STATUS_COLOURS } from './home.tsx'
import { listMemberOrderItems } from './order.tsx'
import { readMemberFormAnswers, buildMemberQuestionContext, toMemberFieldErrors, MemberFormQuestions } from './questions.tsx'

const PATH = `${GROUP_MANAGER_PATH}/members/:id`
const REMOVE_ACTION = 'remove_group_member'

interface MemberFormState {
  sent?: GetFormValues
  errors?: readonly FieldError[]
  message?: string
}

const displayName = (row: ParticipantRow) => formatParticipantName(row) || (row.email ?? '')

function formatItems({ config }: EventSite, items: Awaited<ReturnType<typeof listMemberOrderItems>>): string {
  const names = new Map(config.products.map(({ code, name }) => [code, name]))
  return items
    .map(({ line, quantity }) => {
      const name = names.get(line.productCode ?? '') ?? line.description
      return quantity > 1 ? `${quantity} × ${name}` : name
    })
    .join(', ')
}

const RemoveCards = ({
  at,
  row,
  csrf,
  left,
}: {
  at: ManagedGroup
  row: ParticipantRow
  csrf: string
  left: MemberRemovalRefund | null
}) => {
  const { site, home } = at
  const { say, locale } = site.words
  const name = displayName(row)
  const here = `${home}/members/${row.id}`
  return (
    <>
      <Card title={say('group.remove')}>
        <Form action={`${here}/out`} csrf={csrf} class="stack">
          <p>{say('group.removeText')}</p>
          <Button>{say('group.removeButton', { name })}</Button>
        </Form>
      </Card>
      {left ? (
        <Card title={say('group.cancel')}>
          <Form action={`${here}/cancel`} csrf={csrf} class="stack">
            <p>{say('group.cancelText', { name, amount: formatMoney(locale, left.back) })}</p>
            <Checkbox name="agree" label={say('group.cancelAgree', { name })} />
            <Button tone="danger">{say('group.cancel')}</Button>
          </Form>
        </Card>
      ) : null}
    </>
  )
}

/** `…/group/<code>/members/<id>`: edits a member's name and answers, and removes the member or cancels their registration. */
export function groupMemberPages(web: WebServices) {
  const memberOf = (c: WebContext, { ctx, group }: ManagedGroup) => getMember(ctx, group, c.req.param('id') ?? '')

  const show = async (c: WebContext, at: ManagedGroup, { sent, errors = [], message }: MemberFormState = {}): Promise<Response> => {
    const { site, home, ctx, group, manager } = at
    const { say } = site.words
    const row = await memberOf(c, at)
    const here = `${home}/members/${row.id}`
    const { questions, answers, closed } = await listMemberQuestions(ctx, row)
    const view = buildMemberQuestionContext(site, { answers, errors, ...(sent ? { sent } : {}) })
    const formErrors = toFormErrors(site, errors, message)
    const over = !isGroupChangeable(at)
      ? say('group.ended')
      : closed === null
        ? null
        : say(closed === 'over' ? 'group.memberEditClosed' : 'group.memberNoForm')
    const csrf = getCsrfToken(web, c)
    const items = manager.as === 'admin' ? await listMemberOrderItems(ctx, group.id, row.id) : []
    const decides = canManageMembers(at) && isGroupChangeable(at)
    // A preview that is rolled back, so the page shows exactly what the button will do.
    const left =
      decides && canCancelMemberRegistrations(at)
        ? await previewGroupChange(web, at, REMOVE_ACTION, (change) =>
            removeMemberByManager(change, at, { participantId: row.id, cancel: true }),
          )
        : null
    return showGroupPage(
      web,
      c,
      at,
      { title: displayName(row), status: formErrors ? 400 : 200 },
      <MainColumn title={displayName(row)} text={over ?? say('group.memberText')} formErrors={formErrors}>
        <Card>
          <div class="stack">
            <DescriptionList
              rows={[
                [
                  say('group.memberStatus'),
                  <StatusLabel tone={MEMBER_STATUS_COLOURS[row.status]}>{say(`status.${row.status}`)}</StatusLabel>,
                ],
                ...(items.length > 0 ? [[say('group.products'), formatItems(site, items)] as [string, string]] : []),
                [say('field.email'), row.email ?? '—'],
              ]}
            />
            <p class="small muted">{say('group.email')}</p>
          </div>
        </Card>
        {over === null ? (
          <SubmitForm action={here} csrf={csrf} class="checkout-main" submit={say('group.save')}>
            <Card>
              <div class="fields">
                <MemberFormQuestions view={view} questions={questions} />
              </div>
            </Card>
          </SubmitForm>
        ) : null}
        {decides ? <RemoveCards at={at} row={row} csrf={csrf} left={left} /> : null}
      </MainColumn>,
    )
  }

  const save = async (c: WebContext, at: ManagedGroup, form: FormValues): Promise<Response> => {
    const { site, ctx, group } = at
    const row = await memberOf(c, at)
    const sent: GetFormValues = (name) => listFieldValues(form, name)
    const { questions } = await listMemberQuestions(ctx, row)
    const data = readMemberFormAnswers(
      site,
      questions.map(({ binding }) => binding),
      sent,
    )
    try {
      const { status, errors } = await runGroupChange(web, at, 'edit_group_member', (change) => editMember(change, group, row.id, data))
      if (status === 'validation_failed') return await show(c, at, { sent, errors: toMemberFieldErrors(site, errors) })
      return c.redirect(`${at.home}?done=saved`, 303)
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'not_found') throw error
      return show(c, at, { sent, message: site.words.say(error.code === 'conflict' ? 'group.duplicate' : 'refused.text') })
    }
  }

  const leave =
    (cancel: boolean) =>
    async (c: WebContext, at: ManagedGroup, form: FormValues): Promise<Response> => {
      const row = await memberOf(c, at)
      if (!canManageMembers(at) || (cancel && !canCancelMemberRegistrations(at))) return c.redirect(`${at.home}/members/${row.id}`, 303)
      if (cancel && !form['agree']) return show(c, at, { errors: [{ path: 'agree', message: at.site.words.say('cancel.agreeFirst') }] })
      await runGroupChange(web, at, REMOVE_ACTION, (ctx) => removeMemberByManager(ctx, at, { participantId: row.id, cancel }))
      return c.redirect(`${at.home}?done=${cancel ? 'cancelled' : 'out'}`, 303)
    }

  return createEventRouter(web)
    .get(
      PATH,
      withGroupManagerAccess(web, (c, at) => show(c, at)),
    )
    .post(PATH, handleGroupManagerPost(web, save))
    .post(`${PATH}/out`, handleGroupManagerPost(web, leave(false)))
    .post(`${PATH}/cancel`, handleGroupManagerPost(web, leave(true)))
}
