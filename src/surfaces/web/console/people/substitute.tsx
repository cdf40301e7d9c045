import { sendSubstitution } from '../../../../domains/registration/confirmation.ts'
import { substituteParticipant } from '../../../../domains/registration/substitute.ts'
import { email, name, object } from '../../../../kernel/args.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { Actions, Button, Checkbox, ErrorSummary, errorOf, Form, Input, LinkButton } from '../../components/forms.tsx'
import { Heading } from '../../components/layout.tsx'
import { Card } from '../../components/parts.tsx'
import { attempt, type Label, readFields, type Refused } from '../../fields.ts'
import { csrfFor, type FormValues, type Web, type WebContext } from '../../web.ts'
import { isSure } from '../ask-first.tsx'
import { changeAtEvent, previewAtEvent } from '../event/at-event.ts'
import { moneyInWords } from '../event/figures.tsx'
import { consolePages, formOf, frame } from '../frame.tsx'
import { type AtPerson, atPerson, participantOf, PERSON_PATH } from './at-person.ts'

const LABELS: Record<string, string> = { firstName: 'First name', lastName: 'Last name', email: 'Email' }
const labelOf: Label = (path) => LABELS[path] ?? ''

const Coming = object({ firstName: name(100), lastName: name(100), email: email() })
type Coming = { firstName: string; lastName: string; email: string }

type Done = Awaited<ReturnType<typeof substituteParticipant>>

/** The same for the dry run and for the change. */
const substitute = async (ctx: EventContext, id: string, coming: Coming, withGuests: boolean): Promise<Done> =>
  substituteParticipant(ctx, await participantOf(ctx, id), {
    replacement: Object.fromEntries(Object.entries(coming).map(([field, value]) => [`@participant.${field}`, value])),
    transferGuests: withGuests,
    transferHousing: true,
    transferSessions: true,
    reprice: false,
  })

function doneInWords({ moved, dropped, missing, order }: Done, at: AtPerson, coming: Coming, withGuests: boolean): string {
  return [
    `${coming.firstName} ${coming.lastName} takes the place of ${at.name}, whose badge is no longer valid.`,
    order
      ? `Order ${order.number} goes over with ${moved.lines === 1 ? '1 line' : `${moved.lines} lines`}; its balance stays ${moneyInWords(order.balance)}.`
      : 'There is no order to pass on.',
    ...(moved.housing > 0 ? ['The hotel room goes over too.'] : []),
    ...(moved.sessions > 0 ? [`${moved.sessions === 1 ? '1 session goes' : `${moved.sessions} sessions go`} over too.`] : []),
    withGuests ? (moved.guests > 0 ? `${moved.guests} of the guests come along.` : '') : 'Guests, if there are any, are cancelled.',
    ...(dropped.appointments > 0 ? [`${dropped.appointments} appointments are cancelled.`] : []),
    ...(missing.length > 0 ? [`Still to be answered: ${missing.length} of the questions.`] : []),
  ]
    .filter(Boolean)
    .join(' ')
}

/** `…/participants/<id>/substitute`: somebody comes instead. First who, then what that does, then it is done. */
export function personSubstitutePages(web: Web) {
  function page(
    c: WebContext,
    at: AtPerson,
    form: FormValues,
    { refused = null, words = null }: { refused?: Refused | null; words?: string | null },
  ) {
    const field = (of: string) => ({ name: of, value: form[of], error: errorOf(refused?.errors, of), required: true, autocomplete: 'off' })
    const title = `Who comes instead of ${at.name}?`
    return frame(
      web,
      c,
      { title, current: `${at.base}/participants`, client: at.client, event: at, status: refused ? 400 : 200 },
      <>
        <Heading title={title} crumbs={[{ href: at.here, label: at.name }]} />
        <ErrorSummary {...refused} />
        <Card>
          <Form action={`${at.here}/substitute`} csrf={csrfFor(web, c)} class="stack">
            {words === null ? (
              <>
                <Input {...field('firstName')} label="First name" maxlength={100} />
                <Input {...field('lastName')} label="Last name" maxlength={100} />
                <Input {...field('email')} type="email" label="Email" />
                <Checkbox name="guests" label="Guests come along" checked={form['guests'] === 'on'} />
                <Checkbox
                  name="mail"
                  label="Tell both of them by email"
                  checked={form['mail'] === 'on' || Object.keys(form).length === 0}
                />
              </>
            ) : (
              <>
                {['firstName', 'lastName', 'email', 'guests', 'mail'].map((of) =>
                  form[of] ? <input type="hidden" name={of} value={form[of]} /> : null,
                )}
                <p class="outcome">
                  <strong>If you do this:</strong> <bdi>{words}</bdi>
                </p>
              </>
            )}
            <Actions>
              {words === null ? (
                <Button tone="primary">See what happens</Button>
              ) : (
                <Button tone="danger primary" name="sure" value="yes">
                  {`Put ${form['firstName'] ?? ''} ${form['lastName'] ?? ''} in their place`}
                </Button>
              )}
              <LinkButton href={at.here}>Keep it as it is</LinkButton>
            </Actions>
          </Form>
        </Card>
      </>,
    )
  }

  return consolePages(web)
    .get(`${PERSON_PATH}/substitute`, async (c) => page(c, await atPerson(web, c, 'registration.write'), {}, {}))
    .post(`${PERSON_PATH}/substitute`, async (c) => {
      const form = await formOf(web, c)
      const at = await atPerson(web, c, 'registration.write')
      const read = readFields(Coming, { firstName: form['firstName'], lastName: form['lastName'], email: form['email'] }, labelOf)
      if ('errors' in read) return page(c, at, form, { refused: read })
      const withGuests = form['guests'] === 'on'
      let done: Done | null = null
      const refused = await attempt(async () => {
        done = isSure(form)
          ? await changeAtEvent(web, at, 'substitute_participant', async (ctx) => {
              const made = await substitute(ctx, at.row.id, read.data, withGuests)
              if (form['mail'] === 'on')
                await sendSubstitution(ctx, { from: made.from.id, to: made.to.id, isMissing: made.missing.length > 0 })
              return made
            })
          : await previewAtEvent(web, at, 'substitute_participant', (ctx) => substitute(ctx, at.row.id, read.data, withGuests))
      }, labelOf)
      if (refused || !done) return page(c, at, form, { refused: refused ?? {} })
      if (isSure(form)) return c.redirect(`${at.base}/participants/${(done as Done).to.id}?done=substituted`, 303)
      return page(c, at, form, { words: doneInWords(done, at, read.data, withGuests) })
    })
}
