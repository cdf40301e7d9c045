import type { getRegistrationSummary } from '../../../../domains/registration/summary/summary.ts'
import { addDays } from '../../../../kernel/time.ts'
import { SegmentedBar, ColumnPlot, ChartLegend, formatInteger, type ChartSegment } from '../../components/figures.tsx'
import { DataTable } from '../../components/parts.tsx'
import { formatAmountWithCurrency, moneyToMinorUnits } from '../money/amounts.ts'
import { groupRegistrationsByPeriod, type RegistrationPeriodSeries } from './registration-periods.ts'

export type RegistrationSummary = Awaited<ReturnType<typeof getRegistrationSummary>>

interface Props {
  summary: RegistrationSummary
  /** Today's date in the event's time zone. */
  today: string
  places: number | null
  timezone: string
  /** Returns the URL of the participant list, filtered by status if one is given. */
  people: (status?: string) => string
}

/** Three key figures of the event: registrations over time, participants by status, and money. */
export const KeyFigures = (props: Props) => (
  <div class="figures">
    <Registered {...props} />
    <ByStatus {...props} />
    <MoneyFigure {...props} />
  </div>
)

const Registered = ({ summary, today, places, timezone, people }: Props) => {
  const recent = summary.byDay.filter(({ day }) => day > addDays(today, -7)).reduce((sum, { completed }) => sum + completed, 0)
  const facts = [
    ...(places === null ? [] : [`of ${formatInteger(places)} seats`]),
    ...(summary.guests > 0 ? [`including ${formatInteger(summary.guests)} guests`] : []),
    `${formatInteger(recent)} in the last 7 days`,
  ]
  const plot = groupRegistrationsByPeriod(summary.byDay, today)
  return (
    <section aria-labelledby="figure-registered">
      <h2 id="figure-registered">Registered</h2>
      <p class="big-number">
        <strong>
          <a href={people('complete')}>{formatInteger(summary.participants.complete)}</a>
        </strong>
        <span>{facts.join(' · ')}</span>
      </p>
      {plot.periods.length > 0 ? <Plot plot={plot} timezone={timezone} /> : <p class="muted figure-none">No registrations yet.</p>}
    </section>
  )
}

const Plot = ({ plot: { unit, periods }, timezone }: { plot: RegistrationPeriodSeries; timezone: string }) => {
  const [first, last] = [periods[0]!, periods.at(-1)!]
  const most = periods.reduce((top, one) => (one.completed > top.completed ? one : top))
  const description = `Registrations by ${unit}, ${first.label} to ${last.label}. Highest: ${formatInteger(most.completed)} on ${most.label.replace('from', 'the week from')}.`
  return (
    <>
      <ColumnPlot columns={periods.map(({ label, completed }) => ({ label, count: completed }))} description={description} />
      <details class="numbers">
        <summary>Numbers by {unit}</summary>
        <DataTable
          caption={`Registrations by ${unit}, time zone ${timezone}`}
          rows={periods.filter(({ completed, cancelled }) => completed > 0 || cancelled > 0).toReversed()}
          columns={[
            { label: unit.charAt(0).toUpperCase() + unit.slice(1), lead: true, cell: ({ label }) => label },
            { label: 'Registered', number: true, cell: ({ completed }) => formatInteger(completed) },
            { label: 'Cancelled', number: true, cell: ({ cancelled }) => formatInteger(cancelled) },
            { label: 'Total', number: true, cell: ({ cumulative }) => formatInteger(cumulative) },
          ]}
        />
      </details>
    </>
  )
}

const ByStatus = ({ summary: { participants, waitlist }, people }: Props) => {
  const parts: ChartSegment[] = (
    [
      ['Complete', participants.complete, 1],
      ['Incomplete', participants.incomplete, 2],
      ['Waitlisted', participants.waitlisted, 3],
      ['Cancelled', participants.cancelled, 4],
    ] as const
  ).map(([label, size, tone]) => ({ label, size, tone, value: <a href={people(label.toLowerCase())}>{formatInteger(size)}</a> }))
  const waiting = waitlist.waiting + waitlist.offered
  return (
    <section aria-labelledby="figure-status">
      <h2 id="figure-status">By status</h2>
      <p class="big-number">
        <strong>
          <a href={people()}>{formatInteger(participants.total)}</a>
        </strong>
        <span>
          {participants.total === 1 ? 'person' : 'people'}
          {waiting > 0 ? ` · ${formatInteger(waiting)} on waiting lists` : ''}
        </span>
      </p>
      <div class="plot">
        <SegmentedBar parts={parts} whole={participants.total} />
        <ChartLegend parts={parts} />
      </div>
    </section>
  )
}

const MoneyFigure = ({ summary: { money } }: Props) => {
  const received = moneyToMinorUnits(money.paid) - moneyToMinorUnits(money.refunded) - moneyToMinorUnits(money.reversed)
  const open = moneyToMinorUnits(money.owed)
  const parts: ChartSegment[] = [
    { label: 'Paid', size: Math.max(0, received), tone: 1, value: formatAmountWithCurrency(money.paid) },
    { label: 'Open', size: Math.max(0, open), tone: 2, value: formatAmountWithCurrency(money.owed) },
  ]
  const others: ChartSegment[] = (
    [
      ['Refunded', money.refunded],
      ['Credited', money.credited],
      ['Written off', money.writtenOff],
      ['Credit held', money.creditHeld],
    ] as const
  )
    .filter(([, amount]) => moneyToMinorUnits(amount) !== 0)
    .map(([label, amount]) => ({ label, size: 0, tone: 4, value: formatAmountWithCurrency(amount) }))
  return (
    <section aria-labelledby="figure-money">
      <h2 id="figure-money">Money</h2>
      <p class="big-number">
        <strong>{formatAmountWithCurrency(money.paid)}</strong>
        <span>paid</span>
      </p>
      <div class="plot">
        <SegmentedBar parts={parts} whole={Math.max(0, received) + Math.max(0, open)} />
        <ChartLegend parts={[...parts, ...others]} sum={{ label: 'Invoiced', value: formatAmountWithCurrency(money.invoiced) }} />
      </div>
    </section>
  )
}
