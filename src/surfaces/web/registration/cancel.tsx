import { formatDays, formatList, formatMoment, formatMoney } from '../../../kernel/language/format.ts'
import { cancelOwn, type OwnCancellation } from '../../../domains/registration/cancel-own.ts'
import { Actions, Button, Checkbox, ErrorSummary, Form, LinkButton } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import { eventPagesOf } from '../event/frame.tsx'
import { AT_EVENT } from '../event/place.ts'
import { csrfFor, type Web, type WebContext } from '../web.ts'
import { isNothing, MoneyRows } from './money.tsx'
import { changeOwn, forOwner, type Own, previewOwn, showOwn, whenOwnerSends } from './own.tsx'

const PATH = `${AT_EVENT}/registration/cancel`
const ACTION = 'cancel_own_registration'

const Result = ({ own: { place }, result }: { own: Own; result: OwnCancellation }) => {
  const { say } = place.words
  return (
    <Card title={say('cancel.back')}>
      <div class="stack">
        <p>{say('cancel.people', { people: formatList(place.words.locale, result.people) })}</p>
        <MoneyRows
          place={place}
          rows={[
            ...result.lines.map(({ description, price, back }) => ({
              label: description,
              about: `${say('cancel.price')}: ${formatMoney(place.words.locale, price)}`,
              money: back,
            })),
            { label: say('cancel.back'), money: result.back, kind: 'total' },
            ...(isNothing(result.balance) ? [] : [{ label: say('cancel.still'), money: result.balance, kind: 'quiet' as const }]),
          ]}
        />
        <p class="muted">
          {isNothing(result.back) ? say('cancel.nothingBack') : say(isNothing(result.creditHeld) ? 'cancel.lessOwed' : 'cancel.held')}
        </p>
      </div>
    </Card>
  )
}

/** What else ends, each kind by itself; nothing is said of what there is none of. */
function Ends({ own: { place }, given }: { own: Own; given: OwnCancellation['givenUp'] }) {
  const { say, locale } = place.words
  const moment = (at: Date) => formatMoment(locale, at, place.facts.timezone)
  const of = (what: string, guest: string | null) => (guest === null ? what : `${what} (${guest})`)
  const kinds: [string, string[]][] = [
    [say('mine.guests'), given.guests],
    [say('mine.sessions'), given.sessions.map(({ title, startsAt, guest }) => of(`${title}, ${moment(startsAt)}`, guest))],
    [
      say('stay.title'),
      given.rooms.map(({ hotel, roomType, checkIn, checkOut, guest }) =>
        of(`${say('room.stay', { hotel, room: roomType })}, ${formatDays(locale, checkIn, checkOut)}`, guest),
      ),
    ],
    [say('mine.appointments'), given.appointments.map(({ with: other, startsAt }) => `${other}, ${moment(startsAt)}`)],
    [say('mine.waitlist'), given.waits],
  ]
  const there = kinds.filter(([, things]) => things.length > 0)
  if (there.length === 0) return null
  return (
    <Card title={say('cancel.ends')}>
      <div class="stack">
        {there.map(([kind, things]) => (
          <div>
            <h3>{kind}</h3>
            <ul>
              {things.map((thing) => (
                <li>
                  <bdi>{thing}</bdi>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </Card>
  )
}

/** `…/registration/cancel`: what comes back and what ends, then the question. */
export function ownCancelPages(web: Web) {
  const page = async (c: WebContext, own: Own, wrong?: string): Promise<Response> => {
    const { place, row } = own
    const { say } = place.words
    if (row.status === 'cancelled') return showOwn(web, c, own, { title: say('cancel.title') }, <h1>{say('cancel.already')}</h1>)
    // Done and undone: what is told here is what the button will do.
    const result = await previewOwn(web, own, ACTION, (ctx) => cancelOwn(ctx, row.id))
    return showOwn(
      web,
      c,
      own,
      { title: say('cancel.title'), ...(wrong ? { status: 400 as const } : {}) },
      <div class="checkout-main">
        <h1>{say('cancel.title')}</h1>
        <p class="lead">{say('cancel.lead', { event: place.config.details.name })}</p>
        {wrong ? <ErrorSummary message={say('wrong.summary')} errors={[{ path: 'agree', message: wrong }]} /> : null}
        <Result own={own} result={result} />
        <Ends own={own} given={result.givenUp} />
        <Form action={`${place.paths.myRegistration}/cancel`} csrf={csrfFor(web, c)} class="stack">
          <Checkbox name="agree" label={say('cancel.agree')} />
          <Actions>
            <Button tone="danger primary">{say('cancel.button')}</Button>
            <LinkButton href={place.paths.myRegistration}>{say('cancel.keep')}</LinkButton>
          </Actions>
        </Form>
      </div>,
    )
  }
  return eventPagesOf(web)
    .get(
      PATH,
      forOwner(web, (c, own) => page(c, own)),
    )
    .post(
      PATH,
      whenOwnerSends(
        web,
        ({ paths }) => `${paths.myRegistration}/cancel`,
        async (c, own, form): Promise<Response> => {
          if (own.row.status === 'cancelled') return c.redirect(own.place.paths.myRegistration, 303)
          if (!form['agree']) return page(c, own, own.place.words.say('cancel.agreeFirst'))
          await changeOwn(web, own, ACTION, (ctx) => cancelOwn(ctx, own.row.id))
          return c.redirect(`${own.place.paths.myRegistration}?done=cancelled`, 303)
        },
      ),
    )
}
