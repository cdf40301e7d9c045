import type { WalkedPage } from '../../../domains/configuration/flow/walk.ts'
import { guestNumbers } from '../../../domains/checkout/guest-answers.ts'
import { sessionBinding } from '../../../domains/sessions/at-event.ts'
import { roomName } from '../../../domains/sessions/enrolments.ts'
import { offeredBy } from '../../../domains/sessions/program.ts'
import { formatDay, formatDays, formatList, formatMoment, formatNumber } from '../../../kernel/language/format.ts'
import { daysBetween } from '../../../kernel/time.ts'
import { LinkButton } from '../components/forms.tsx'
import { moneyText, pageSegment, type View } from './view.ts'
import { labelFor } from './words.ts'

interface Told {
  label: string
  text: string
}

/** What somebody told us, page by page, with the way back to each. */
export function AnswersTable({ view, only = null }: { view: View; only?: readonly string[] | null }) {
  const { place, progress } = view
  const { say } = place.words
  const base = place.paths.register(progress.flow.slug)
  return (
    <div class="stack">
      {progress.pages
        .filter(({ code }) => only === null || only.includes(code))
        .flatMap((page) => {
          const told = answersOn(view, page)
          return told.length === 0
            ? []
            : [
                <section>
                  <div class="row-between">
                    <h3>{titleOf(view, page.code)}</h3>
                    <LinkButton href={`${base}/${pageSegment(page.code)}`} tone="quiet" small>
                      {say('register.edit')}
                      <span class="hidden"> {titleOf(view, page.code)}</span>
                    </LinkButton>
                  </div>
                  <dl class="facts">
                    {told.map(({ label, text }) => (
                      <>
                        <dt>{label}</dt>
                        <dd>{text}</dd>
                      </>
                    ))}
                  </dl>
                </section>,
              ]
        })}
    </div>
  )
}

export const titleOf = ({ flow }: Pick<View, 'flow'>, code: string): string => flow.pages.find((page) => page.code === code)?.title ?? code

export function answersOn(view: View, page: WalkedPage): Told[] {
  const { place, config, progress } = view
  return page.widgets
    .filter(({ visible }) => visible)
    .flatMap(({ id, type, bindings }) => {
      if (type === 'guests') return guestsTold(view)
      if (type === 'products' || type === 'donation' || type === 'inviteCode') return []
      if (type === 'sessions') return sessionsTold(view, page, id)
      if (type === 'housing') return roomTold(view)
      if (type === 'boothRequest') return boothTold(view)
      return bindings.flatMap((binding) => {
        if (binding.startsWith('@lookup.') || binding.startsWith('@policy.')) return agreedTold(view, binding)
        const value = progress.walk.answer(binding)
        return value === undefined ? [] : [{ label: labelFor(place.words, config, binding), text: textOf(view, binding, value) }]
      })
    })
}

/** The room with what it costs; whoever only waits, or sleeps in another's, is told that. */
function roomTold({ place, progress: { room, walk } }: View): Told[] {
  const { say, locale } = place.words
  const text = (name: string) => {
    const value = walk.answer(`@housing.${name}`)
    return typeof value === 'string' ? value : null
  }
  const [checkIn, checkOut, named] = [text('checkIn'), text('checkOut'), text('shareWith')]
  if (text('hotelId') === null || checkIn === null || checkOut === null || !room)
    return named === null ? [] : [{ label: say('room.title'), text: say('room.sharesWith', { name: named }) }]
  const { hotel, type, reservation } = room
  const nights = say('room.nights', { count: daysBetween(checkIn, checkOut) })
  return [
    { label: say('housing.hotelId'), text: say('room.stay', { hotel: hotel.name, room: type.name }) },
    { label: say('room.title'), text: `${formatDays(locale, checkIn, checkOut)} · ${nights}` },
    reservation
      ? { label: say('stay.cost'), text: moneyText(place, reservation.stay_total) }
      : { label: say('housing.waitlist'), text: walk.answer('@housing.waitlist') === true ? say('room.waits') : say('register.heldEnded') },
    ...(named === null ? [] : [{ label: say('housing.shareWith'), text: named }]),
  ]
}

function boothTold({ place, config, progress }: View): Told[] {
  const request = progress.kept.booth_request
  if (request === null) return []
  const { say, locale } = place.words
  const names = new Map(config.exhibitorConfig.boothSizes.map(({ code, name }) => [code, name]))
  const wanted = [...request.boothNumbers, ...request.sizes.map((code) => names.get(code) ?? code)]
  return [{ label: say('booth.title'), text: formatList(locale, wanted) }]
}

const agreedTold = ({ place, config, progress }: View, binding: string): Told[] =>
  progress.walk.answer(binding) === true
    ? [{ label: labelFor(place.words, config, binding), text: place.words.say('register.agreed') }]
    : []

const guestsTold = ({ place, progress: { answers } }: View): Told[] =>
  guestNumbers(answers).map((number) => ({
    label: place.words.say('register.guestNumber', { number }),
    text: [answers[`@guest.${number}.firstName`], answers[`@guest.${number}.lastName`]].filter(Boolean).join(' '),
  }))

function sessionsTold({ place, flow, config, program, progress }: View, page: WalkedPage, id: string): Told[] {
  const widget = flow.pages.find(({ code }) => code === page.code)?.widgets.find((one) => one.id === id)
  if (widget?.type !== 'sessions') return []
  return offeredBy(widget, program, place.facts.timezone)
    .filter((session) => progress.walk.answer(sessionBinding(session.id)) === true)
    .map(({ title, startsAt, roomCode }) => ({
      label: formatMoment(place.words.locale, startsAt, place.facts.timezone),
      text: [title, roomName(config, roomCode)].filter(Boolean).join(' · '),
    }))
}

function textOf(view: View, binding: string, value: unknown): string {
  const { place, config, files } = view
  const { locale, say } = place.words
  const field = config.customFields.find(({ code }) => binding === `@custom.${code}`)
  const nameOf = (code: unknown) => field?.choices.find((choice) => choice.code === code)?.name ?? String(code)
  if (Array.isArray(value)) return formatList(locale, value.map(nameOf))
  if (typeof value === 'boolean') return value ? say('yes') : say('no')
  if (typeof value === 'number') return formatNumber(locale, value)
  const text = String(value)
  if (binding === '@participant.country' || field?.responseType === 'country')
    return new Intl.DisplayNames(locale, { type: 'region' }).of(text) ?? text
  if (binding === '@participant.headshot' || field?.responseType === 'file') return files.get(text)?.name ?? ''
  if (field?.responseType === 'date') return formatDay(locale, text)
  return nameOf(text)
}
