import type { Sent } from '../../../domains/checkout/sent-page.ts'
import { editMember, getMember, memberQuestions } from '../../../domains/groups/edit-member.ts'
import { type Left, mayCancelMembers, sendAway } from '../../../domains/groups/leave-group.ts'
import { decidesMembers } from '../../../domains/groups/managed-by.ts'
import { nameOf, type ParticipantRow } from '../../../domains/registration/participant-shape.ts'
import { AppError, type FieldError } from '../../../kernel/errors.ts'
import { formatMoney } from '../../../kernel/language/format.ts'
import { Actions, Button, Checkbox, ErrorSummary, Form } from '../components/forms.tsx'
import { Card, Facts } from '../components/parts.tsx'
import { eventPagesOf } from '../event/frame.tsx'
import { everyValue } from '../form-values.ts'
import { csrfFor, type FormValues, type Web, type WebContext } from '../web.ts'
import { AT_GROUP, type AtGroup, changeGroup, forManager, isChangeable, previewGroup, showGroup, whenManagerSends } from './at.tsx'
import { answersIn, askingAbout, faultsInWords, Questions } from './questions.tsx'

const PATH = `${AT_GROUP}/members/:id`
const OUT = 'remove_group_member'

interface Shown {
  sent?: Sent
  errors?: readonly FieldError[]
  message?: string
}

const calledOf = (row: ParticipantRow) => nameOf(row) || (row.email ?? '')

const WayOut = ({ at, row, csrf, left }: { at: AtGroup; row: ParticipantRow; csrf: string; left: Left | null }) => {
  const { place, home } = at
  const { say, locale } = place.words
  const name = calledOf(row)
  const here = `${home}/members/${row.id}`
  return (
    <>
      <Card title={say('group.out')}>
        <Form action={`${here}/out`} csrf={csrf} class="stack">
          <p>{say('group.outText')}</p>
          <Button>{say('group.outButton', { name })}</Button>
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

/** `…/group/<code>/members/<id>`: names and answers to correct, and the way out of the group. */
export function groupMemberPages(web: Web) {
  const memberOf = (c: WebContext, { ctx, group }: AtGroup) => getMember(ctx, group, c.req.param('id') ?? '')

  const show = async (c: WebContext, at: AtGroup, { sent, errors = [], message }: Shown = {}): Promise<Response> => {
    const { place, home, ctx } = at
    const { say } = place.words
    const row = await memberOf(c, at)
    const here = `${home}/members/${row.id}`
    const { questions, answers, closed } = await memberQuestions(ctx, row)
    const view = askingAbout(place, { answers, errors, ...(sent ? { sent } : {}) })
    const wrong = message ?? (errors.length > 0 ? say('wrong.summary') : undefined)
    const over = !isChangeable(at)
      ? say('group.ended')
      : closed === null
        ? null
        : say(closed === 'over' ? 'group.memberOver' : 'group.memberNoForm')
    const csrf = csrfFor(web, c)
    const decides = decidesMembers(at) && isChangeable(at)
    // Done and undone: what is told here is what the button does.
    const left =
      decides && mayCancelMembers(at)
        ? await previewGroup(web, at, OUT, (change) => sendAway(change, at, { participantId: row.id, cancel: true }))
        : null
    return showGroup(
      web,
      c,
      at,
      { title: calledOf(row), ...(wrong ? { status: 400 as const } : {}) },
      <div class="checkout-main">
        <h1>{calledOf(row)}</h1>
        <p class="lead">{over ?? say('group.memberText')}</p>
        <ErrorSummary message={wrong} errors={errors} />
        <Card>
          <div class="stack">
            <Facts rows={[[say('field.email'), row.email ?? '—']]} />
            <p class="small muted">{say('group.email')}</p>
          </div>
        </Card>
        {over === null ? (
          <Form action={here} csrf={csrf} class="checkout-main">
            <Card>
              <div class="fields">
                <Questions view={view} questions={questions} />
              </div>
            </Card>
            <Actions>
              <Button tone="primary">{say('group.save')}</Button>
            </Actions>
          </Form>
        ) : null}
        {decides ? <WayOut at={at} row={row} csrf={csrf} left={left} /> : null}
      </div>,
    )
  }

  const save = async (c: WebContext, at: AtGroup, form: FormValues): Promise<Response> => {
    const { place, ctx, group } = at
    const row = await memberOf(c, at)
    const sent: Sent = (name) => everyValue(form, name)
    const { questions } = await memberQuestions(ctx, row)
    const data = answersIn(
      place,
      questions.map(({ binding }) => binding),
      sent,
    )
    try {
      const { status, errors } = await changeGroup(web, at, 'edit_group_member', (change) => editMember(change, group, row.id, data))
      if (status === 'validation_failed') return await show(c, at, { sent, errors: faultsInWords(place, errors) })
      return c.redirect(`${at.home}?done=saved`, 303)
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'not_found') throw error
      return show(c, at, { sent, message: error.code === 'conflict' ? place.words.say('group.twin') : error.message })
    }
  }

  const leave =
    (cancel: boolean) =>
    async (c: WebContext, at: AtGroup, form: FormValues): Promise<Response> => {
      const row = await memberOf(c, at)
      if (!decidesMembers(at) || (cancel && !mayCancelMembers(at))) return c.redirect(`${at.home}/members/${row.id}`, 303)
      if (cancel && !form['agree']) return show(c, at, { errors: [{ path: 'agree', message: at.place.words.say('cancel.agreeFirst') }] })
      await changeGroup(web, at, OUT, (ctx) => sendAway(ctx, at, { participantId: row.id, cancel }))
      return c.redirect(`${at.home}?done=${cancel ? 'cancelled' : 'out'}`, 303)
    }

  return eventPagesOf(web)
    .get(
      PATH,
      forManager(web, (c, at) => show(c, at)),
    )
    .post(PATH, whenManagerSends(web, save))
    .post(`${PATH}/out`, whenManagerSends(web, leave(false)))
    .post(`${PATH}/cancel`, whenManagerSends(web, leave(true)))
}
