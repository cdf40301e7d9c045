import type { Child } from 'hono/jsx'
import { findFirstUnfinishedPage } from '../../../domains/checkout/progress.ts'
import { formatTime } from '../../../kernel/language/format.ts'
import { ErrorSummary } from '../components/forms.tsx'
import { Notice } from '../components/parts.tsx'
import { toFormErrors } from '../event/event-layout.tsx'
import { pageTitle } from './answers.tsx'
import { formatMinorAmount, pageSegment, type PageView } from './view.ts'

/** The steps of the flow. Completed steps are links. */
export function Steps({ view, current }: { view: PageView; current: string | null }) {
  const { site, progress } = view
  const { say } = site.words
  const base = site.paths.register(progress.flow.slug)
  const unfinished = findFirstUnfinishedPage(progress)
  const codes = progress.pages.map(({ code }) => code)
  const at = current === null ? codes.length : codes.indexOf(current)
  const reached = unfinished === null ? codes.length : codes.indexOf(unfinished)
  return (
    <nav aria-label={say('register.steps')}>
      <ol class="progress">
        {[...codes, null].map((code, step) => {
          const title = code === null ? say('register.summary') : pageTitle(view, code)
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

export const stepText = ({ site, progress }: PageView, current: string | null): string => {
  const codes = progress.pages.map(({ code }) => code)
  const step = (current === null ? codes.length : codes.indexOf(current)) + 1
  return site.words.say('register.step', { step, steps: codes.length + 1 })
}

interface StepHeadProps {
  view: PageView
  /** The page of the flow; null for the summary, undefined for the payment page, which is not a step. */
  current?: string | null
  title: string
  message?: string | undefined
  children?: Child
}

/** The top of every step: progress, title and errors. */
export const StepHead = ({ view, current, title, message, children }: StepHeadProps) => (
  <div class="head">
    {current === undefined ? (
      <h1>{title}</h1>
    ) : (
      <>
        <Steps view={view} current={current} />
        <div class="row-between">
          <h1>{title}</h1>
          <p class="muted small">{stepText(view, current)}</p>
        </div>
      </>
    )}
    {children}
    <ErrorSummary {...toFormErrors(view.site, view.errors, message)} />
  </div>
)

/** Whether seats are reserved: only after a page with a chosen product or room was submitted. */
const wasHeld = ({ progress: { pages, stored, answers } }: PageView) =>
  pages.some(
    ({ code, widgets }) =>
      stored.pages_done.includes(code) &&
      widgets.some(
        ({ products, type, visible }) =>
          products.some(({ quantity }) => quantity > 0) || (visible && type === 'housing' && answers['@housing.hotelId'] != null),
      ),
  )

/** Until the mailbox is verified, the selection is held only at the checkout. Signing in with a code verifies it and returns to this page. */
function ConfirmToHold({ view: { site, progress }, action }: { view: PageView; action: string }) {
  const { say } = site.words
  const query = new URLSearchParams({ email: progress.row.email ?? '', next: action }).toString()
  return (
    <Notice>
      <p>
        {say('register.notHeldYet')} <a href={`${site.paths.signIn}?${query}`}>{say('register.confirmEmail')}</a>
      </p>
    </Notice>
  )
}

/** Shows how long the selection is held, with a button to extend it once. */
export function HoldNotice({ view, until, action, csrf }: { view: PageView; until: Date | null; action: string; csrf: string }) {
  const { site, progress, quote } = view
  const { say, locale } = site.words
  const { room } = progress
  if ((quote.chosen.length === 0 && room === null) || progress.snapshot.isTest || quote.waits) return null
  if (until === null && progress.row.email_unverified) return <ConfirmToHold view={view} action={action} />
  if (until === null && !wasHeld(view)) return null
  if (until === null) return <Notice tone="warning">{say('register.holdExpired')}</Notice>
  return (
    <div
      class="notice row-between"
      role="status"
      data-until={until.toISOString()}
      data-minutes={say('register.holdCountdown', { count: 5 })}
      data-minute={say('register.holdCountdown', { count: 1 })}
    >
      <span>{say('register.heldUntil', { time: formatTime(locale, until, site.facts.timezone) })}</span>
      {progress.stored.more_time ? null : (
        <form method="post" action={action}>
          <input type="hidden" name="_csrf" value={csrf} />
          <button type="submit" class="button small quiet" name="do" value="longer">
            {say('register.moreTime')}
          </button>
        </form>
      )}
    </div>
  )
}

/** The total and the button to the next step. */
export const StepBar = ({ view, back, children }: { view: PageView; back: string | null; children: Child }) => {
  const { site, quote } = view
  const { say } = site.words
  return (
    <div class="bar">
      {quote.lines.length > 0 ? (
        <p class="sum">
          <span>{say('register.total')}</span> <span class="money">{formatMinorAmount(site, quote.total)}</span>
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
