import { scheduleSubstitutionEmails } from '../../../../domains/registration/due-emails.ts'
import { substituteParticipant } from '../../../../domains/registration/edit/substitute.ts'
import { email, name, object } from '../../../../kernel/args.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { createFieldPropsGetter, renderFormPage } from '../../components/form-page.tsx'
import { Checkbox, Input } from '../../components/forms.tsx'
import { renderChangePreviewPage } from '../../components/preview-then-confirm.tsx'
import { catchFormErrors, type FieldLabelLookup, validateFormFields, type FormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebServices, type WebContext } from '../../web.ts'
import { CONFIRM_PAGE_BUTTON, isConfirmed } from '../confirm-page.tsx'
import { runEventChange, previewEventChange } from '../event/event-page.ts'
import { formatAmountWithCurrency } from '../money/amounts.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { type ParticipantPageContext, getParticipantPageContext, getParticipantRow, CONSOLE_PARTICIPANT_PATH } from './participant-page.ts'

const LABELS: Record<string, string> = { firstName: 'First name', lastName: 'Last name', email: 'Email' }
const labelOf: FieldLabelLookup = (path) => LABELS[path] ?? ''

const Coming = object({ firstName: name(100), lastName: name(100), email: email() })
type Coming = { firstName: string; lastName: string; email: string }

type Substitution = Awaited<ReturnType<typeof substituteParticipant>>

/** Replaces the participant by another person. Used for both the dry run and the actual change. */
const substitute = async (ctx: EventContext, id: string, coming: Coming, withGuests: boolean): Promise<Substitution> =>
  substituteParticipant(ctx, await getParticipantRow(ctx, id), {
    replacement: Object.fromEntries(Object.entries(coming).map(([field, value]) => [`@participant.${field}`, value])),
    transferGuests: withGuests,
    transferHousing: true,
    transferSessions: true,
    reprice: false,
  })

function describeSubstitution(
  { moved, dropped, missing, order }: Substitution,
  at: ParticipantPageContext,
  coming: Coming,
  withGuests: boolean,
): string {
  return [
    `${coming.firstName} ${coming.lastName} replaces ${at.name}, whose badge becomes invalid.`,
    order
      ? `Order ${order.number} is transferred with ${moved.lines === 1 ? '1 line' : `${moved.lines} lines`}. Its balance stays ${formatAmountWithCurrency(order.balance)}.`
      : 'There is no order to transfer.',
    ...(moved.housing > 0 ? ['The hotel room is transferred too.'] : []),
    ...(moved.sessions > 0 ? [`${moved.sessions === 1 ? '1 session is' : `${moved.sessions} sessions are`} transferred too.`] : []),
    withGuests
      ? moved.guests > 0
        ? `${moved.guests === 1 ? '1 guest is' : `${moved.guests} guests are`} transferred too.`
        : ''
      : 'Guests are cancelled.',
    ...(dropped.appointments > 0
      ? [`${dropped.appointments === 1 ? '1 appointment is' : `${dropped.appointments} appointments are`} cancelled.`]
      : []),
    ...(missing.length > 0
      ? [`${missing.length === 1 ? '1 question still needs' : `${missing.length} questions still need`} an answer.`]
      : []),
  ]
    .filter(Boolean)
    .join(' ')
}

/** `…/participants/<id>/substitute`: replaces a participant. The first step asks for the new person, the second shows the effects. */
export function participantSubstitutionPages(web: WebServices) {
  const sharedParts = (c: WebContext, at: ParticipantPageContext) => ({
    title: `Replace ${at.name}`,
    text: 'Another person takes over the registration with its order, sessions and hotel room.',
    crumbs: [{ href: at.here, label: at.name }],
    action: `${at.here}/substitute`,
    csrf: getCsrfToken(web, c),
  })

  function page(c: WebContext, at: ParticipantPageContext, form: FormValues, formErrors: FormErrors | null = null) {
    const fields = createFieldPropsGetter(form, formErrors)
    const field = (name: string) => ({ ...fields(name), required: true, autocomplete: 'off' })
    const shown = renderFormPage({
      ...sharedParts(c, at),
      formErrors,
      submit: 'Review',
      cancel: at.here,
      children: (
        <>
          <div class="fields-2">
            <Input {...field('firstName')} label="First name" maxlength={100} />
            <Input {...field('lastName')} label="Last name" maxlength={100} />
          </div>
          <Input {...field('email')} type="email" label="Email" />
          <Checkbox name="guests" label="Transfer guests" help="Otherwise all guests are cancelled." checked={form['guests'] === 'on'} />
          <Checkbox name="mail" label="Notify both by email" checked={form['mail'] === 'on' || Object.keys(form).length === 0} />
        </>
      ),
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'participants'), shown)
  }

  function preview(c: WebContext, at: ParticipantPageContext, form: FormValues, effects: string) {
    const { firstName, lastName, email: address, guests, mail } = form
    const shown = renderChangePreviewPage({
      ...sharedParts(c, at),
      hidden: { firstName, lastName, email: address, guests, mail },
      condition: 'If you continue:',
      effects: <bdi>{effects}</bdi>,
      submit: `Replace with ${firstName ?? ''} ${lastName ?? ''}`,
      submitAs: CONFIRM_PAGE_BUTTON,
      back: { href: at.here, label: 'Cancel' },
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'participants'), shown)
  }

  return createConsoleRouter(web)
    .get(`${CONSOLE_PARTICIPANT_PATH}/substitute`, async (c) => page(c, await getParticipantPageContext(web, c, 'registration.write'), {}))
    .post(`${CONSOLE_PARTICIPANT_PATH}/substitute`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getParticipantPageContext(web, c, 'registration.write')
      const read = validateFormFields(Coming, { firstName: form['firstName'], lastName: form['lastName'], email: form['email'] }, labelOf)
      if ('errors' in read) return page(c, at, form, read)
      const withGuests = form['guests'] === 'on'
      let done: Substitution | null = null
      const formErrors = await catchFormErrors(async () => {
        done = isConfirmed(form)
          ? await runEventChange(web, at, 'substitute_participant', async (ctx) => {
              const made = await substitute(ctx, at.row.id, read.data, withGuests)
              if (form['mail'] === 'on')
                await scheduleSubstitutionEmails(ctx, { from: made.from.id, to: made.to.id, isMissing: made.missing.length > 0 })
              return made
            })
          : await previewEventChange(web, at, 'substitute_participant', (ctx) => substitute(ctx, at.row.id, read.data, withGuests))
      }, labelOf)
      if (formErrors || !done) return page(c, at, form, formErrors ?? {})
      if (isConfirmed(form)) return c.redirect(`${at.base}/participants/${(done as Substitution).to.id}?done=substituted`, 303)
      return preview(c, at, form, describeSubstitution(done, at, read.data, withGuests))
    })
}
