import type { Child } from 'hono/jsx'
import { firstUnfinished } from '../../../domains/checkout/progress.ts'
import { formatTime } from '../../../kernel/language/format.ts'
import { ErrorSummary } from '../components/forms.tsx'
import { Notice } from '../components/parts.tsx'
import { titleOf } from './answers.tsx'
import { moneyText, pageSegment, type View } from './view.ts'

/** Where somebody is among the steps; those that are done lead back. */
export function Steps({ view, current }: { view: View; current: string | null }) {
  const { place, progress } = view
  const { say } = place.words
  const base = place.paths.register(progress.flow.slug)
  const unfinished = firstUnfinished(progress)
  const codes = progress.pages.map(({ code }) => code)
  const at = current === null ? codes.length : codes.indexOf(current)
  const reached = unfinished === null ? codes.length : codes.indexOf(unfinished)
  return (
    <nav aria-label={say('register.steps')}>
      <ol class="progress">
        {[...codes, null].map((code, step) => {
          const title = code === null ? say('register.summary') : titleOf(view, code)
          if (step === at)
            return (
              <li aria-current="step">
                <span>{title}</span>
              </li>
            )
          return step < reached || (step === reached && step < at) ? (
            <li class="done">
              <a href={code === null ? `${base}/summary` : `${base}/${pageSegment(code)}`}>
                {title}
                <span class="hidden">, {say('register.done')}</span>
              </a>
            </li>
          ) : (
            <li>
              <span>{title}</span>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}

export const stepOf = ({ place, progress }: View, current: string | null): string => {
  const codes = progress.pages.map(({ code }) => code)
  const step = (current === null ? codes.length : codes.indexOf(current)) + 1
  return place.words.say('register.step', { step, steps: codes.length + 1 })
}

/** The top of every step: what it is, which it is, and what has gone wrong. */
export const Head = ({
  view,
  current,
  title,
  message,
  children,
}: {
  view: View
  current: string | null
  title: string
  message?: string | undefined
  children?: Child
}) => (
  <div class="head">
    <Steps view={view} current={current} />
    <div class="row-between">
      <h1>{title}</h1>
      <p class="muted small">{stepOf(view, current)}</p>
    </div>
    {children}
    <ErrorSummary
      message={view.errors.length > 0 || message ? (message ?? view.place.words.say('wrong.summary')) : undefined}
      errors={view.errors}
    />
  </div>
)

/** What was only looked at is not held yet. */
const wasHeld = ({ progress: { pages, kept, answers } }: View) =>
  pages.some(
    ({ code, widgets }) =>
      kept.pages_done.includes(code) &&
      widgets.some(
        ({ products, type, visible }) =>
          products.some(({ quantity }) => quantity > 0) || (visible && type === 'housing' && answers['@housing.hotelId'] != null),
      ),
  )

/** Until when what was chosen is held, and a way to more time, once. */
export function Hold({ view, until, action, csrf }: { view: View; until: Date | null; action: string; csrf: string }) {
  const { place, progress, quote } = view
  const { say, locale } = place.words
  const { room } = progress
  if ((quote.chosen.length === 0 && room === null) || progress.scene.isTest || quote.waits) return null
  if (until === null && !wasHeld(view)) return null
  if (until === null) return <Notice tone="warning">{say('register.heldEnded')}</Notice>
  return (
    <div
      class="notice row-between"
      role="status"
      data-until={until.toISOString()}
      data-minutes={say('register.heldSoon', { count: 5 })}
      data-minute={say('register.heldSoon', { count: 1 })}
    >
      <span>{say('register.held', { time: formatTime(locale, until, place.facts.timezone) })}</span>
      {progress.kept.more_time ? null : (
        <form method="post" action={action}>
          <input type="hidden" name="_csrf" value={csrf} />
          <button type="submit" class="button small quiet" name="do" value="longer">
            {say('register.heldMore')}
          </button>
        </form>
      )}
    </div>
  )
}

/** The total and the next step. */
export const Bar = ({ view, back, children }: { view: View; back: string | null; children: Child }) => {
  const { place, quote } = view
  const { say } = place.words
  return (
    <div class="bar">
      {quote.lines.length > 0 ? (
        <p class="sum">
          <span>{say('register.total')}</span> <span class="money">{moneyText(place, quote.total)}</span>
        </p>
      ) : null}
      {children}
      {back === null ? null : (
        <a class="button quiet" href={back}>
          {say('register.back')}
        </a>
      )}
    </div>
  )
}
