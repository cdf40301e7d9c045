import type { Child } from 'hono/jsx'
import { findFirstUnfinishedPage } from '../../../domains/checkout/progress.ts'
import { formatTime } from '../../../kernel/language/format.ts'
import { ErrorSummary } from '../components/forms.tsx'
import { Notice } from '../components/parts.tsx'
import { toFormErrors } from '../event/event-layout.tsx'
import { getFlowPageTitle } from './answers.tsx'
import { listErrorsWithFieldTitles } from './named-errors.ts'
import { formatMinorAmount, toPagePathSegment, type RegistrationPageView } from './view.ts'

interface Step {
  title: string
  state: 'current' | 'done' | 'open'
  path: string
}

function listSteps(view: RegistrationPageView, current: string | null): Step[] {
  const { site, progress } = view
  const base = site.paths.register(progress.flow.slug)
  const unfinished = findFirstUnfinishedPage(progress)
  const codes = progress.pages.map(({ code }) => code)
  const at = current === null ? codes.length : codes.indexOf(current)
  const reached = unfinished === null ? codes.length : codes.indexOf(unfinished)
  return [...codes, null].map((code, step) => ({
    title: code === null ? site.words.say('register.summary') : getFlowPageTitle(view, code),
    state: step === at ? 'current' : step < reached || (step === reached && step < at) ? 'done' : 'open',
    path: `${base}/${code === null ? 'summary' : toPagePathSegment(code)}`,
  }))
}

const StepItem = ({ view, step: { title, state, path } }: { view: RegistrationPageView; step: Step }) =>
  state === 'done' ? (
    <li class="done">
      <a href={path}>
        <span lang={view.site.langOf(title)}>{title}</span>
        <span class="hidden">, {view.site.words.say('register.done')}</span>
      </a>
    </li>
  ) : (
    <li aria-current={state === 'current' ? 'step' : undefined}>
      <span lang={view.site.langOf(title)}>{title}</span>
    </li>
  )

/**
 * The steps of the flow. Completed steps are links. Wide screens show the names in one line; narrow screens show "Step 4 of 7", which opens
 * the list of names. Only one of the two is displayed.
 */
function Steps({ view, steps }: { view: RegistrationPageView; steps: readonly Step[] }) {
  const { say } = view.site.words
  const items = steps.map((one) => <StepItem view={view} step={one} />)
  return (
    <nav class="steps" aria-label={say('register.steps')}>
      <ol class="progress">{items}</ol>
      <details class="steps-list">
        <summary>
          <span class="step-marks" aria-hidden="true">
            {steps.map(({ state }) => (
              <span class={state} />
            ))}
          </span>
          {stepText(view, steps)}
        </summary>
        <ol class="step-names">{items}</ol>
      </details>
    </nav>
  )
}

const stepText = ({ site }: RegistrationPageView, steps: readonly Step[]): string =>
  site.words.say('register.step', { step: steps.findIndex(({ state }) => state === 'current') + 1, steps: steps.length })

interface StepHeadProps {
  view: RegistrationPageView
  /** The page of the flow; null for the summary, undefined for the payment page, which is not a step. */
  current?: string | null
  title: string
  message?: string | undefined
  children?: Child
}

/** The top of every step: progress, title and errors. */
export const RegistrationStepHeader = ({ view, current, title, message, children }: StepHeadProps) => (
  <div class="head">
    {current === undefined ? (
      <h1>{title}</h1>
    ) : (
      <>
        <Steps view={view} steps={listSteps(view, current)} />
        <div class="row-between">
          <h1 lang={view.site.langOf(title)}>{title}</h1>
          {/* The progress of the steps, which narrow screens show above the title. */}
          <p class="muted small step-count" aria-hidden="true">
            {stepText(view, listSteps(view, current))}
          </p>
        </div>
      </>
    )}
    {children}
    <ErrorSummary {...toFormErrors(view.site, listErrorsWithFieldTitles(view), message)} />
  </div>
)

/** Whether seats are reserved: only after a page with a chosen product or room was submitted. */
const wasHeld = ({ progress: { pages, stored, answers } }: RegistrationPageView) =>
  pages.some(
    ({ code, widgets }) =>
      stored.pages_done.includes(code) &&
      widgets.some(
        ({ products, type, visible }) =>
          products.some(({ quantity }) => quantity > 0) || (visible && type === 'housing' && answers['@housing.hotelId'] != null),
      ),
  )

/**
 * A notice that the selection is reserved only at the checkout, because the email address is not verified yet. Signing in with a code
 * verifies the address and returns to this page.
 */
function ConfirmToHold({ view: { site, progress }, action }: { view: RegistrationPageView; action: string }) {
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
export function ReservationHoldNotice({
  view,
  until,
  action,
  csrf,
}: {
  view: RegistrationPageView
  until: Date | null
  action: string
  csrf: string
}) {
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

interface StepBarProps {
  view: RegistrationPageView
  back: string | null
  /** Whether the total is shown. Pages with products show it even before one is chosen, so that the bar with the total keeps its height. */
  total?: boolean
  /** The id of the part of the page that lists the order. */
  order?: string
  /** Whether the label of the button is long, so that on a phone the button gets a line of its own. */
  stacked?: boolean
  children: Child
}

/** The bar with the total and the button to the next step. */
export const NextStepBar = ({
  view,
  back,
  total = view.quote.lines.length > 0,
  order = 'order',
  stacked = false,
  children,
}: StepBarProps) => {
  const { site, quote } = view
  const { say } = site.words
  return (
    <div class={stacked ? 'bar stacked' : 'bar'}>
      {total ? (
        <p class="sum">
          <span>
            {say('register.total')} · <a href={`#${order}`}>{say('register.totalDetails')}</a>
          </span>{' '}
          <span class="money">{formatMinorAmount(site, quote.total)}</span>
        </p>
      ) : null}
      {children}
      {back === null ? null : (
        <a class="button quiet back" href={back}>
          {say('register.back')}
        </a>
      )}
    </div>
  )
}
