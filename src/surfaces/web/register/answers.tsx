import type { WalkedPage } from '../../../domains/configuration/flow/walk.ts'
import { guestNumbers } from '../../../domains/checkout/guest-answers.ts'
import { sessionBinding } from '../../../domains/sessions/at-event.ts'
import { roomName } from '../../../domains/sessions/enrolments.ts'
import { offeredBy } from '../../../domains/sessions/program.ts'
import { formatDay, formatList, formatMoment, formatNumber } from '../../../kernel/language/format.ts'
import { LinkButton } from '../components/forms.tsx'
import { pageSegment, type View } from './view.ts'
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
      return bindings.flatMap((binding) => {
        if (binding.startsWith('@lookup.') || binding.startsWith('@policy.')) return agreedTold(view, binding)
        const value = progress.walk.answer(binding)
        return value === undefined ? [] : [{ label: labelFor(place.words, config, binding), text: textOf(view, binding, value) }]
      })
    })
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
