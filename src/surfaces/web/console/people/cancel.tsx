import { sendWhatItIs } from '../../../../domains/registration/confirmation.ts'
import { editParticipant } from '../../../../domains/registration/edit.ts'
import { toEdited } from '../../../../domains/registration/edited.ts'
import { getParticipant } from '../../../../domains/registration/get-participant.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { Actions, Button, Checkbox, ErrorSummary, Form, Input, LinkButton } from '../../components/forms.tsx'
import { Heading } from '../../components/layout.tsx'
import { Card } from '../../components/parts.tsx'
import { attempt, type Refused } from '../../fields.ts'
import { csrfFor, type FormValues, type Web, type WebContext } from '../../web.ts'
import { changeAtEvent, previewAtEvent } from '../event/at-event.ts'
import { moneyInWords } from '../event/figures.tsx'
import { consolePages, formOf, frame } from '../frame.tsx'
import { type AtPerson, atPerson, participantOf, PERSON_PATH } from './at-person.ts'

const CREDITS = ['policy', 'full', 'none'] as const
type Credit = (typeof CREDITS)[number]

const CREDIT_WORDS: Record<Credit, string> = { policy: 'As the refund terms say', full: 'Everything', none: 'Nothing' }

const creditIn = (value: string | undefined): Credit => CREDITS.find((one) => one === value) ?? 'policy'

interface Cancelling {
  credit: Credit
  reason?: string | undefined
  revision: number
}

/** The same for the dry run and for the change. */
async function cancel(ctx: EventContext, id: string, { credit, reason, revision }: Cancelling) {
  const edit = {
    status: 'cancelled' as const,
    credit,
    reason,
    keepGuests: false,
    reprice: false,
    overrideCapacity: false,
    ifRevision: revision,
  }
  return editParticipant(ctx, await participantOf(ctx, id), edit)
}

/** `…/participants/<id>/cancel`: what cancelling does, in words and amounts, above the button that does it. */
export function personCancelPages(web: Web) {
  async function page(c: WebContext, at: AtPerson, form: FormValues = {}, refused: Refused | null = null) {
    const credit = creditIn(form['credit'] ?? c.req.query('credit'))
    const { revision } = at.row
    const dryRun = await previewAtEvent(web, at, 'edit_participant', async (ctx) =>
      toEdited(ctx, await cancel(ctx, at.row.id, { credit, revision })),
    )
    const { guests } = await getParticipant(at.reading, { participantId: at.row.id, includeTestData: true })
    const leaving = guests.filter(({ status }) => status !== 'cancelled').length
    const { creditNote, balanceAfter, creditHeld } = dryRun.money
    const words = [
      `${at.name} is cancelled at once and every place is free for others.`,
      ...(leaving > 0 ? [leaving === 1 ? '1 guest is cancelled too.' : `${leaving} guests are cancelled too.`] : []),
      creditNote ? `A credit note over ${moneyInWords(creditNote.total)} is written.` : 'No credit note is written.',
      `The balance of the order is ${moneyInWords(balanceAfter)} afterwards${Number(creditHeld.amount) === 0 ? '' : `, with ${moneyInWords(creditHeld)} held as credit`}. No money is paid out by this.`,
    ].join(' ')
    return frame(
      web,
      c,
      { title: `Cancel ${at.name}?`, current: `${at.base}/participants`, client: at.client, event: at, status: refused ? 400 : 200 },
      <>
        <Heading title={`Cancel ${at.name}?`} crumbs={[{ href: at.here, label: at.name }]} />
        <ErrorSummary {...refused} />
        {at.permissions.has('money.write') ? (
          <nav class="tabs" aria-label="What is credited">
            {CREDITS.map((one) => (
              <a href={`${at.here}/cancel?credit=${one}`} aria-current={one === credit ? 'true' : undefined}>
                {CREDIT_WORDS[one]}
              </a>
            ))}
          </nav>
        ) : null}
        <Card>
          <Form action={`${at.here}/cancel`} csrf={csrfFor(web, c)} class="stack">
            <input type="hidden" name="credit" value={credit} />
            <input type="hidden" name="revision" value={String(revision)} />
            <Input name="reason" label="Reason" optional="(optional)" value={form['reason']} maxlength={500} autocomplete="off" />
            <Checkbox name="mail" label="Send the mail about the cancellation" checked={form['mail'] === 'on'} />
            <p class="outcome">
              <strong>If you cancel:</strong> {words}
            </p>
            <Actions>
              <Button tone="danger primary">
                {creditNote ? `Cancel and credit ${moneyInWords(creditNote.total)}` : 'Cancel the registration'}
              </Button>
              <LinkButton href={at.here}>Keep it</LinkButton>
            </Actions>
          </Form>
        </Card>
      </>,
    )
  }

  return consolePages(web)
    .get(`${PERSON_PATH}/cancel`, async (c) => page(c, await atPerson(web, c, 'registration.write')))
    .post(`${PERSON_PATH}/cancel`, async (c) => {
      const form = await formOf(web, c)
      const at = await atPerson(web, c, 'registration.write')
      const asked = {
        credit: creditIn(form['credit']),
        reason: form['reason']?.trim().slice(0, 500) || undefined,
        revision: Number(form['revision']) || 0,
      }
      const refused = await attempt(
        () =>
          changeAtEvent(web, at, 'edit_participant', async (ctx) => {
            const edited = await cancel(ctx, at.row.id, asked)
            if (form['mail'] === 'on' && edited.changed.length > 0) await sendWhatItIs(ctx, edited.participant)
          }),
        () => '',
      )
      if (refused?.reason === 'movedOn')
        return page(c, at, form, { message: 'Somebody changed this registration while you looked at it. Look again, then decide.' })
      return refused ? page(c, at, form, refused) : c.redirect(`${at.here}?done=cancelled`, 303)
    })
}
