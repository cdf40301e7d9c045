import { sendSubstitutionEmails } from '../../../../domains/registration/confirmation.ts'
import { substituteParticipant } from '../../../../domains/registration/substitute.ts'
import { email, name, object } from '../../../../kernel/args.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { Actions, Button, Checkbox, ErrorSummary, findFieldError, Form, Input, LinkButton } from '../../components/forms.tsx'
import { Heading } from '../../components/layout.tsx'
import { Card } from '../../components/parts.tsx'
import { tryChange, type FieldLabel, readFields, type FormErrors } from '../../fields.ts'
import { csrfFor, type FormValues, type Web, type WebContext } from '../../web.ts'
import { isConfirmed } from '../confirm-page.tsx'
import { changeEvent, previewEventChange } from '../event/event-page.ts'
import { formatAmount } from '../event/figures.tsx'
import { consolePages, getForm, sendConsolePage } from '../frame.tsx'
import { type ParticipantPageContext, getParticipantPage, getParticipantRow, PARTICIPANT_PATH } from './participant-page.ts'

const LABELS: Record<string, string> = { firstName: 'First name', lastName: 'Last name', email: 'Email' }
const labelOf: FieldLabel = (path) => LABELS[path] ?? ''

const Coming = object({ firstName: name(100), lastName: name(100), email: email() })
type Coming = { firstName: string; lastName: string; email: string }

type Substitution = Awaited<ReturnType<typeof substituteParticipant>>

/** Used for the dry run and the change. */
const substitute = async (ctx: EventContext, id: string, coming: Coming, withGuests: boolean): Promise<Substitution> =>
  substituteParticipant(ctx, await getParticipantRow(ctx, id), {
    replacement: Object.fromEntries(Object.entries(coming).map(([field, value]) => [`@participant.${field}`, value])),
    transferGuests: withGuests,
    transferHousing: true,
    transferSessions: true,
    reprice: false,
  })

function describeSubstitution({ moved, dropped, missing, order }: Substitution, at: ParticipantPageContext, coming: Coming, withGuests: boolean): string {
  return [
    `${coming.firstName} ${coming.lastName} replaces ${at.name}, whose badge becomes invalid.`,
    order
      ? `Order ${order.number} is transferred with ${moved.lines === 1 ? '1 line' : `${moved.lines} lines`}. Its balance stays ${formatAmount(order.balance)}.`
      : 'There is no order to transfer.',
    ...(moved.housing > 0 ? ['The hotel room is transferred too.'] : []),
    ...(moved.sessions > 0 ? [`${moved.sessions === 1 ? '1 session is' : `${moved.sessions} sessions are`} transferred too.`] : []),
    withGuests ? (moved.guests > 0 ? `${moved.guests === 1 ? '1 guest is' : `${moved.guests} guests are`} transferred too.` : '') : 'Guests are cancelled.',
    ...(dropped.appointments > 0 ? [`${dropped.appointments === 1 ? '1 appointment is' : `${dropped.appointments} appointments are`} cancelled.`] : []),
    ...(missing.length > 0 ? [`${missing.length === 1 ? '1 question still needs' : `${missing.length} questions still need`} an answer.`] : []),
  ]
    .filter(Boolean)
    .join(' ')
}

/** `…/participants/<id>/substitute`: replaces a participant. The first step asks for the new person, the second shows the effects. */
export function personSubstitutePages(web: Web) {
  function page(
    c: WebContext,
    at: ParticipantPageContext,
    form: FormValues,
    { formErrors = null, words = null }: { formErrors?: FormErrors | null; words?: string | null },
  ) {
    const field = (of: string) => ({ name: of, value: form[of], error: findFieldError(formErrors?.errors, of), required: true, autocomplete: 'off' })
    const title = `Replace ${at.name}`
    return sendConsolePage(
      web,
      c,
      { title, current: `${at.base}/participants`, client: at.client, event: at, status: formErrors ? 400 : 200 },
      <>
        <Heading title={title} crumbs={[{ href: at.here, label: at.name }]} />
        <ErrorSummary {...formErrors} />
        <Card>
          <Form action={`${at.here}/substitute`} csrf={csrfFor(web, c)} class="stack">
            {words === null ? (
              <>
                <Input {...field('firstName')} label="First name" maxlength={100} />
                <Input {...field('lastName')} label="Last name" maxlength={100} />
                <Input {...field('email')} type="email" label="Email" />
                <Checkbox name="guests" label="Transfer guests" checked={form['guests'] === 'on'} />
                <Checkbox
                  name="mail"
                  label="Notify both by email"
                  checked={form['mail'] === 'on' || Object.keys(form).length === 0}
                />
              </>
            ) : (
              <>
                {['firstName', 'lastName', 'email', 'guests', 'mail'].map((of) =>
                  form[of] ? <input type="hidden" name={of} value={form[of]} /> : null,
                )}
                <p class="outcome">
                  <strong>If you continue:</strong> <bdi>{words}</bdi>
                </p>
              </>
            )}
            <Actions>
              {words === null ? (
                <Button tone="primary">Review</Button>
              ) : (
                <Button tone="danger primary" name="sure" value="yes">
                  {`Replace with ${form['firstName'] ?? ''} ${form['lastName'] ?? ''}`}
                </Button>
              )}
              <LinkButton href={at.here}>Cancel</LinkButton>
            </Actions>
          </Form>
        </Card>
      </>,
    )
  }

  return consolePages(web)
    .get(`${PARTICIPANT_PATH}/substitute`, async (c) => page(c, await getParticipantPage(web, c, 'registration.write'), {}, {}))
    .post(`${PARTICIPANT_PATH}/substitute`, async (c) => {
      const form = await getForm(web, c)
      const at = await getParticipantPage(web, c, 'registration.write')
      const read = readFields(Coming, { firstName: form['firstName'], lastName: form['lastName'], email: form['email'] }, labelOf)
      if ('errors' in read) return page(c, at, form, { formErrors: read })
      const withGuests = form['guests'] === 'on'
      let done: Substitution | null = null
      const formErrors = await tryChange(async () => {
        done = isConfirmed(form)
          ? await changeEvent(web, at, 'substitute_participant', async (ctx) => {
              const made = await substitute(ctx, at.row.id, read.data, withGuests)
              if (form['mail'] === 'on')
                await sendSubstitutionEmails(ctx, { from: made.from.id, to: made.to.id, isMissing: made.missing.length > 0 })
              return made
            })
          : await previewEventChange(web, at, 'substitute_participant', (ctx) => substitute(ctx, at.row.id, read.data, withGuests))
      }, labelOf)
      if (formErrors || !done) return page(c, at, form, { formErrors: formErrors ?? {} })
      if (isConfirmed(form)) return c.redirect(`${at.base}/participants/${(done as Substitution).to.id}?done=substituted`, 303)
      return page(c, at, form, { words: describeSubstitution(done, at, read.data, withGuests) })
    })
}
