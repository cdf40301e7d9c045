import type { EvaluatedPage } from '../../../domains/configuration/flow/walk.ts'
import { listBoughtProducts } from '../../../domains/checkout/session-choice.ts'
import { listGuestNumbers } from '../../../domains/checkout/guest-answers.ts'
import { toSessionAnswerKey } from '../../../domains/sessions/context.ts'
import { getRoomName } from '../../../domains/sessions/enrolments.ts'
import { filterProgram, listSessionsIncludedInProducts } from '../../../domains/sessions/program.ts'
import { findChosenPaymentMethod } from '../../../domains/checkout/payment-methods.ts'
import { toProductAnswerKey } from '../../../domains/configuration/flow/collected-answers.ts'
import type { WidgetOfType } from '../../../domains/configuration/schema/widgets.ts'
import { toProductInventoryKey } from '../../../domains/inventory/units.ts'
import {
  formatCountryName,
  formatDateRange,
  formatDay,
  formatList,
  formatInstantWithTimeZone,
  formatMoney,
  formatNumber,
} from '../../../kernel/language/format.ts'
import { daysBetween } from '../../../kernel/time.ts'
import { DescriptionList } from '../components/parts.tsx'
import { getLeadFieldLabel } from '../event/share-field.tsx'
import { formatMinorAmount, toPagePathSegment, type RegistrationPageView } from './view.ts'
import { getFieldLabel } from './messages.ts'
import { getProductListTitle } from './products.tsx'
import { listShareableLeadFields } from './sharing-choice.tsx'

interface AnswerRow {
  label: string
  text: string
}

/** The participant's answers by page, each with a link to edit the page. */
export function AnswersTable({ view, only = null }: { view: RegistrationPageView; only?: readonly string[] | null }) {
  const { site, progress } = view
  const { say } = site.words
  const base = site.paths.register(progress.flow.slug)
  return (
    <div class="stack answers-list">
      {progress.pages
        .filter(({ code }) => only === null || only.includes(code))
        .flatMap((page) => {
          const rows = listPageAnswers(view, page)
          return rows.length === 0
            ? []
            : [
                <section>
                  <div class="row-between">
                    <h3>{getFlowPageTitle(view, page.code)}</h3>
                    <a class="tap small" href={`${base}/${toPagePathSegment(page.code)}`}>
                      {say('register.edit')}
                      <span class="hidden"> {getFlowPageTitle(view, page.code)}</span>
                    </a>
                  </div>
                  <DescriptionList rows={rows.map(({ label, text }) => [label, text])} />
                </section>,
              ]
        })}
    </div>
  )
}

export const getFlowPageTitle = ({ flow }: Pick<RegistrationPageView, 'flow'>, code: string): string =>
  flow.pages.find((page) => page.code === code)?.title ?? code

export function listPageAnswers(view: RegistrationPageView, page: EvaluatedPage): AnswerRow[] {
  const { site, config, progress } = view
  const widgets = progress.flow.pages.find(({ code }) => code === page.code)?.widgets ?? []
  return page.widgets
    .filter(({ visible }) => visible)
    .flatMap(({ id, type, bindings }) => {
      const widget = widgets.find((one) => one.id === id)
      if (type === 'guests') return guestRows(view)
      if (type === 'inviteCode') return []
      if (widget?.type === 'products' || widget?.type === 'donation') return productRows(view, widget, bindings)
      // Sharing and payment have pages of their own once the registration is complete.
      if (progress.row.status === 'complete' && (type === 'sharing' || type === 'payment')) return []
      if (widget?.type === 'sharing') return sharingRows(view, widget)
      if (widget?.type === 'payment') return paymentRows(view)
      if (widget?.type === 'sessions') return sessionRows(view, widget)
      if (type === 'housing') return roomRows(view)
      if (type === 'boothRequest') return boothRows(view)
      return bindings.flatMap((binding) => {
        if (binding.startsWith('@lookup.') || binding.startsWith('@policy.')) return policyRows(view, binding)
        const value = progress.walk.answer(binding)
        return value === undefined ? [] : [{ label: getFieldLabel(site.words, config, binding), text: formatAnswer(view, binding, value) }]
      })
    })
}

/** Lists the chosen products in one row, or the donated amount. */
function productRows(
  view: RegistrationPageView,
  widget: WidgetOfType<'products'> | WidgetOfType<'donation'>,
  bindings: readonly string[],
): AnswerRow[] {
  const { site, config, progress } = view
  const { say, locale } = site.words
  const chosen = config.products.flatMap(({ code, name }) => {
    const binding = toProductAnswerKey(code)
    if (!bindings.includes(binding)) return []
    const value = progress.answers[binding]
    const isWaiting = progress.stored.waits.includes(toProductInventoryKey(code))
    return Number(value ?? 0) > 0 || isWaiting ? [{ name, value, isWaiting }] : []
  })
  if (widget.type === 'donation')
    return chosen.map(({ name, value }) => ({
      label: name,
      text: formatMoney(locale, { amount: String(value), currency: site.facts.currency }),
    }))
  const texts = chosen.map(({ name, value, isWaiting }) => {
    const count = Number(value ?? 0)
    return [count > 1 ? `${formatNumber(locale, count)} × ${name}` : name, isWaiting ? say('register.onWaitlist') : null]
      .filter(Boolean)
      .join(' · ')
  })
  return texts.length === 0 ? [] : [{ label: getProductListTitle(view, widget), text: texts.join(', ') }]
}

/** Lists the fields that exhibitors will see. */
function sharingRows(view: RegistrationPageView, widget: WidgetOfType<'sharing'>): AnswerRow[] {
  const { say } = view.site.words
  const labels = listShareableLeadFields(view, widget).flatMap((lead) => (lead.shared ? [getLeadFieldLabel(view.site, lead)] : []))
  return [{ label: say('sharing.seen'), text: [say('sharing.yourName'), ...labels].join(', ') }]
}

function paymentRows({ site: { words }, progress, quote, methods }: RegistrationPageView): AnswerRow[] {
  const method = quote.due > 0 ? findChosenPaymentMethod(progress, methods) : null
  return method === null ? [] : [{ label: words.say('register.pay'), text: words.say(`register.${method}`) }]
}

/** Lists the booked room with its price, the waiting list entry, or the person whose room is shared. */
function roomRows({ site, progress: { room, walk }, otherHotels }: RegistrationPageView): AnswerRow[] {
  const { say, locale } = site.words
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
    { label: say('room.title'), text: `${formatDateRange(locale, checkIn, checkOut)} · ${nights}` },
    reservation
      ? { label: say('stay.cost'), text: formatMinorAmount(site, reservation.stay_total) }
      : {
          label: say('housing.waitlist'),
          text: walk.answer('@housing.waitlist') === true ? say('room.onWaitlist') : say('register.holdExpired'),
        },
    ...(otherHotels.length === 0 ? [] : [{ label: say('stay.also'), text: formatList(locale, otherHotels) }]),
    ...(named === null ? [] : [{ label: say('housing.shareWith'), text: named }]),
  ]
}

function boothRows({ site, config, progress }: RegistrationPageView): AnswerRow[] {
  const request = progress.stored.booth_request
  if (request === null) return []
  const { say, locale } = site.words
  const names = new Map(config.exhibitorConfig.boothSizes.map(({ code, name }) => [code, name]))
  const wanted = [...request.boothNumbers, ...request.sizes.map((code) => names.get(code) ?? code)]
  return [{ label: say('booth.title'), text: formatList(locale, wanted) }]
}

const policyRows = ({ site, config, progress }: RegistrationPageView, binding: string): AnswerRow[] =>
  progress.walk.answer(binding) === true
    ? [{ label: getFieldLabel(site.words, config, binding), text: site.words.say('register.agreed') }]
    : []

const guestRows = ({ site, progress: { answers } }: RegistrationPageView): AnswerRow[] =>
  listGuestNumbers(answers).map((number) => ({
    label: site.words.say('register.guestNumber', { number }),
    text: [answers[`@guest.${number}.firstName`], answers[`@guest.${number}.lastName`]].filter(Boolean).join(' '),
  }))

/** Lists the chosen conference sessions. A full session is marked, because the participant only joins its waiting list. */
function sessionRows({ site, config, program, enrolled, progress }: RegistrationPageView, widget: WidgetOfType<'sessions'>): AnswerRow[] {
  const included = new Set(listSessionsIncludedInProducts(program, listBoughtProducts(progress)))
  return filterProgram(widget, program, site.facts.timezone)
    .filter((session) => included.has(session.id) || progress.walk.answer(toSessionAnswerKey(session.id)) === true)
    .map(({ id: sessionId, title, startsAt, roomCode, left }) => {
      const isFull = left === 0 && enrolled.get(sessionId) !== 'enrolled' && !included.has(sessionId)
      const waits = enrolled.get(sessionId) === 'waitlisted' || isFull
      return {
        label: formatInstantWithTimeZone(site.words.locale, startsAt, site.facts.timezone),
        text: [title, getRoomName(config, roomCode), waits ? site.words.say('register.sessionWaitlisted') : null]
          .filter(Boolean)
          .join(' · '),
      }
    })
}

function formatAnswer(view: RegistrationPageView, binding: string, value: unknown): string {
  const { site, config, files } = view
  const { locale, say } = site.words
  const field = config.customFields.find(({ code }) => binding === `@custom.${code}`)
  const nameOf = (code: unknown) => field?.choices.find((choice) => choice.code === code)?.name ?? String(code)
  if (Array.isArray(value)) return formatList(locale, value.map(nameOf))
  if (typeof value === 'boolean') return value ? say('yes') : say('no')
  if (typeof value === 'number') return formatNumber(locale, value)
  const text = String(value)
  if (binding === '@participant.country' || field?.responseType === 'country') return formatCountryName(locale, text)
  if (binding === '@participant.headshot' || field?.responseType === 'file') return files.get(text)?.name ?? ''
  if (field?.responseType === 'date') return formatDay(locale, text)
  return nameOf(text)
}
