import type { HousingOverview } from '../../../../domains/housing/summary/overview.ts'
import { formatShortDay } from '../../../../kernel/language/format.ts'
import { addDays, daysBetween } from '../../../../kernel/time.ts'
import { formatInteger, LinePlot } from '../../components/figures.tsx'
import { Card, DataTable } from '../../components/parts.tsx'

const WEEKS = 8

const showDay = (day: string, today: string) => (day === today ? 'today' : formatShortDay('en-GB', day))

/** Booked room nights over the last weeks, with the numbers by week. */
export const BookingPaceCard = ({ housing: { pace, today } }: { housing: HousingOverview }) => {
  const shown = pace.filter(({ day }) => day >= addDays(today, -7 * WEEKS))
  const [first, last] = [shown[0]!, shown.at(-1)!]
  const weekAgo = shown.findLast(({ day }) => day <= addDays(today, -7))
  const weekly = shown.filter(({ day }) => daysBetween(day, today) % 7 === 0).toReversed()
  return (
    <Card title="Pace" actions={<span class="muted small">last {WEEKS} weeks</span>}>
      <p class="big-number">
        <strong>{formatInteger(last.pickup)}</strong>
        <span>
          room nights picked up
          {weekAgo ? `, ${formatInteger(weekAgo.pickup)} a week ago` : ''}
        </span>
      </p>
      {shown.length < 2 ? (
        <p class="muted figure-none">The line begins with the second day. Lanyard records the booked rooms every night.</p>
      ) : (
        <>
          <LinePlot
            points={shown.map(({ day, pickup }) => ({ at: daysBetween(first.day, day), label: showDay(day, today), count: pickup }))}
            description={`Room nights picked up: ${formatInteger(first.pickup)} on ${formatShortDay('en-GB', first.day)}, ${formatInteger(last.pickup)} today.`}
          />
          <details class="numbers">
            <summary>Numbers by week</summary>
            <DataTable
              caption="Room nights picked up by week"
              rows={weekly}
              columns={[
                { label: 'Day', lead: true, cell: ({ day }) => showDay(day, today) },
                { label: 'Picked up', number: true, cell: ({ pickup }) => formatInteger(pickup) },
              ]}
            />
          </details>
        </>
      )}
    </Card>
  )
}
