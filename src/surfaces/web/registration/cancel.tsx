import { formatDateRange, formatList, formatInstantWithTimeZone } from '../../../kernel/language/format.ts'
import { AppError } from '../../../kernel/errors.ts'
import { cancelOwnRegistration, type OwnCancellationEffects } from '../../../domains/registration/own/cancel-own.ts'
import { SubmitForm } from '../components/form-page.tsx'
import { Checkbox } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import { MainColumn, createEventRouter, toFormErrors } from '../event/event-layout.tsx'
import { PUBLIC_EVENT_PATH } from '../event/event-site.ts'
import { getCsrfToken, type WebServices, type WebContext } from '../web.ts'
import { CancellationAmounts, formatCancelButtonLabel, describeCancellationAmounts } from './cancel-money.tsx'
import {
  runOwnRegistrationChange,
  withOwnRegistrationAccess,
  type OwnRegistrationAccess,
  previewOwnRegistrationChange,
  showOwnRegistrationPage,
  handleOwnRegistrationPost,
} from './own-access.tsx'

const PATH = `${PUBLIC_EVENT_PATH}/registration/cancel`
const ACTION = 'cancel_own_registration'

const Points = ({ items }: { items: readonly string[] }) => (
  <ul class="points">
    {items.map((item) => (
      <li>
        <bdi>{item}</bdi>
      </li>
    ))}
  </ul>
)

/** The waiting lists that a participant without a ticket leaves by cancelling. */
const WaitlistCard = ({ own: { site, row }, given }: { own: OwnRegistrationAccess; given: OwnCancellationEffects['effects'] }) =>
  row.status !== 'waitlisted' || given.waits.length === 0 ? null : (
    <Card title={site.words.say('myRegistration.waitlist')}>
      <Points items={given.waits} />
    </Card>
  )

/**
 * The card that lists what else is cancelled with the registration (such as rooms and conference sessions), by kind. Empty kinds are left
 * out.
 */
function AlsoCancelledCard({ own: { site, row }, given }: { own: OwnRegistrationAccess; given: OwnCancellationEffects['effects'] }) {
  const { say, locale } = site.words
  const moment = (at: Date) => formatInstantWithTimeZone(locale, at, site.facts.timezone)
  const of = (what: string, guest: string | null) => (guest === null ? what : `${what} (${guest})`)
  const kinds: [string, string[]][] = [
    [say('myRegistration.guests'), given.guests],
    [say('myRegistration.sessions'), given.sessions.map(({ title, startsAt, guest }) => of(`${title}, ${moment(startsAt)}`, guest))],
    [
      say('stay.title'),
      given.rooms.map(({ hotel, roomType, checkIn, checkOut, guest }) =>
        of(`${say('room.stay', { hotel, room: roomType })}, ${formatDateRange(locale, checkIn, checkOut)}`, guest),
      ),
    ],
    [say('myRegistration.appointments'), given.appointments.map(({ with: other, startsAt }) => `${other}, ${moment(startsAt)}`)],
    [say('myRegistration.waitlist'), row.status === 'waitlisted' ? [] : given.waits],
  ]
  const there = kinds.filter(([, things]) => things.length > 0)
  if (there.length === 0) return null
  return (
    <Card title={say('cancel.alsoCancelled')}>
      <div class="stack">
        {there.map(([kind, things]) => (
          <div>
            <h3>{kind}</h3>
            <Points items={things} />
          </div>
        ))}
      </div>
    </Card>
  )
}

/** `…/registration/cancel`: shows the refund and everything that is cancelled, then asks for confirmation. */
export function registrationCancellationPages(web: WebServices) {
  const page = async (c: WebContext, own: OwnRegistrationAccess, wrong?: string): Promise<Response> => {
    const { site, row } = own
    const { say } = site.words
    if (row.status === 'cancelled')
      return showOwnRegistrationPage(web, c, own, { title: say('cancel.title') }, <h1>{say('cancel.already')}</h1>)
    const isWaiting = row.status === 'waitlisted'
    const title = say(isWaiting ? 'cancel.waitlistTitle' : 'cancel.title')
    // The registration is cancelled in a transaction that is rolled back, so the page shows exactly what the button will do.
    const result = await previewOwnRegistrationChange(web, own, ACTION, (ctx) => cancelOwnRegistration(ctx, row.id))
    return showOwnRegistrationPage(
      web,
      c,
      own,
      { title, status: wrong ? 400 : 200 },
      <MainColumn
        title={title}
        text={isWaiting ? say('cancel.waitlistText') : describeCancellationAmounts(site, result)}
        formErrors={toFormErrors(site, wrong ? [{ path: 'agree', message: wrong }] : [])}
      >
        <CancellationAmounts site={site} result={result} />
        <WaitlistCard own={own} given={result.effects} />
        <AlsoCancelledCard own={own} given={result.effects} />
        <SubmitForm
          action={`${site.paths.myRegistration}/cancel`}
          csrf={getCsrfToken(web, c)}
          submit={isWaiting ? say('register.waiting.leave') : formatCancelButtonLabel(site, result)}
          tone="danger primary"
          cancel={site.paths.myRegistration}
          cancelLabel={say(isWaiting ? 'cancel.stay' : 'cancel.keep')}
        >
          {result.people.length > 1 ? <p>{say('cancel.people', { people: formatList(site.words.locale, result.people) })}</p> : null}
          <Checkbox name="agree" label={say(isWaiting ? 'cancel.waitlistAgree' : 'cancel.agree')} />
          <p class="muted small">{say('cancel.lead', { event: site.config.details.name })}</p>
        </SubmitForm>
      </MainColumn>,
    )
  }
  return createEventRouter(web)
    .get(
      PATH,
      withOwnRegistrationAccess(web, (c, own) => page(c, own)),
    )
    .post(
      PATH,
      handleOwnRegistrationPost(
        web,
        ({ paths }) => `${paths.myRegistration}/cancel`,
        async (c, own, form): Promise<Response> => {
          if (own.row.status === 'cancelled') return c.redirect(own.site.paths.myRegistration, 303)
          if (!form['agree']) return page(c, own, own.site.words.say('cancel.agreeFirst'))
          try {
            await runOwnRegistrationChange(web, own, ACTION, (ctx) => cancelOwnRegistration(ctx, own.row.id))
          } catch (error) {
            // A concurrent request, such as a double click, has cancelled the registration already. The overview shows that.
            if (!(error instanceof AppError) || error.code !== 'precondition_failed') throw error
          }
          return c.redirect(`${own.site.paths.myRegistration}?done=cancelled`, 303)
        },
      ),
    )
}
