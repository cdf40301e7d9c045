import type { getRegistrationSummary } from '../../../../domains/registration/summary.ts'
import { formatMoney } from '../../../../kernel/language/format.ts'
import { type Money, toMinor } from '../../../../kernel/money.ts'
import { addDays } from '../../../../kernel/time.ts'
import { Bar, ColumnPlot, Legend, numberInWords, type Part } from '../../components/figures.tsx'
import { Table } from '../../components/parts.tsx'
import { byDayUntil, type ByDay } from './by-day.ts'

export type Summary = Awaited<ReturnType<typeof getRegistrationSummary>>

export const moneyInWords = (money: Money): string => formatMoney('en-GB', money)

const sizeOf = ({ amount, currency }: Money) => toMinor(amount, currency)

interface Props {
  summary: Summary
  /** Of the event, in its own zone. */
  today: string
  places: number | null
  timezone: string
  /** Where those who are counted are listed. */
  people: (status?: string) => string
}

/** How registrations, people and money stand, side by side. */
export const Figures = (props: Props) => (
  <div class="figures">
    <Registered {...props} />
    <ByStatus {...props} />
    <Takings {...props} />
  </div>
)

const Registered = ({ summary, today, places, timezone, people }: Props) => {
  const recent = summary.byDay.filter(({ day }) => day > addDays(today, -7)).reduce((sum, { completed }) => sum + completed, 0)
  const said = [
    ...(places === null ? [] : [`of ${numberInWords(places)} places`]),
    ...(summary.guests > 0 ? [`${numberInWords(summary.guests)} of them guests`] : []),
    `${numberInWords(recent)} in the last 7 days`,
  ]
  const plot = byDayUntil(summary.byDay, today)
  return (
    <section aria-labelledby="figure-registered">
      <h2 id="figure-registered">Registered</h2>
      <p class="big-number">
        <strong>
          <a href={people('complete')}>{numberInWords(summary.participants.complete)}</a>
        </strong>
        <span>{said.join(' · ')}</span>
      </p>
      {plot.stretches.length > 0 ? <Plot plot={plot} timezone={timezone} /> : <p class="muted figure-none">Nobody has registered yet.</p>}
    </section>
  )
}

const Plot = ({ plot: { unit, stretches }, timezone }: { plot: ByDay; timezone: string }) => {
  const [first, last] = [stretches[0]!, stretches.at(-1)!]
  const most = stretches.reduce((top, one) => (one.completed > top.completed ? one : top))
  const says = `Registered by ${unit}, ${first.label} to ${last.label}: most, ${numberInWords(most.completed)}, on ${most.label.replace('from', 'the week from')}.`
  return (
    <>
      <ColumnPlot columns={stretches.map(({ label, completed }) => ({ label, count: completed }))} says={says} />
      <details class="numbers">
        <summary>Numbers by {unit}</summary>
        <Table
          caption={`Registered by ${unit}, in the zone ${timezone}`}
          rows={stretches.filter(({ completed, cancelled }) => completed > 0 || cancelled > 0).toReversed()}
          columns={[
            { label: unit.charAt(0).toUpperCase() + unit.slice(1), lead: true, cell: ({ label }) => label },
            { label: 'Registered', number: true, cell: ({ completed }) => numberInWords(completed) },
            { label: 'Cancelled', number: true, cell: ({ cancelled }) => numberInWords(cancelled) },
            { label: 'In all', number: true, cell: ({ cumulative }) => numberInWords(cumulative) },
          ]}
        />
      </details>
    </>
  )
}

const ByStatus = ({ summary: { participants, waitlist }, people }: Props) => {
  const parts: Part[] = (
    [
      ['Complete', participants.complete, 1],
      ['Incomplete', participants.incomplete, 2],
      ['Waitlisted', participants.waitlisted, 3],
      ['Cancelled', participants.cancelled, 4],
    ] as const
  ).map(([label, size, tone]) => ({ label, size, tone, value: <a href={people(label.toLowerCase())}>{numberInWords(size)}</a> }))
  const waiting = waitlist.waiting + waitlist.offered
  return (
    <section aria-labelledby="figure-status">
      <h2 id="figure-status">By status</h2>
      <p class="big-number">
        <strong>
          <a href={people()}>{numberInWords(participants.total)}</a>
        </strong>
        <span>
          {participants.total === 1 ? 'person' : 'people'}
          {waiting > 0 ? ` · ${numberInWords(waiting)} on waitlists` : ''}
        </span>
      </p>
      <div class="plot">
        <Bar parts={parts} whole={participants.total} />
        <Legend parts={parts} />
      </div>
    </section>
  )
}

const Takings = ({ summary: { money } }: Props) => {
  const received = sizeOf(money.paid) - sizeOf(money.refunded) - sizeOf(money.reversed)
  const open = sizeOf(money.owed)
  const parts: Part[] = [
    { label: 'Paid', size: Math.max(0, received), tone: 1, value: moneyInWords(money.paid) },
    { label: 'Open', size: Math.max(0, open), tone: 2, value: moneyInWords(money.owed) },
  ]
  const others: Part[] = (
    [
      ['Refunded', money.refunded],
      ['Credited', money.credited],
      ['Written off', money.writtenOff],
      ['Credit held for people', money.creditHeld],
    ] as const
  )
    .filter(([, amount]) => sizeOf(amount) !== 0)
    .map(([label, amount]) => ({ label, size: 0, tone: 4, value: moneyInWords(amount) }))
  return (
    <section aria-labelledby="figure-money">
      <h2 id="figure-money">Money</h2>
      <p class="big-number">
        <strong>{moneyInWords(money.paid)}</strong>
        <span>paid</span>
      </p>
      <div class="plot">
        <Bar parts={parts} whole={Math.max(0, received) + Math.max(0, open)} />
        <Legend parts={[...parts, ...others]} sum={{ label: 'Invoiced', value: moneyInWords(money.invoiced) }} />
      </div>
    </section>
  )
}
