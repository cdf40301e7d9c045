import type { RoomNightCounts } from '../../../../domains/housing/summary/figures.ts'
import { formatShortDay } from '../../../../kernel/language/format.ts'

export interface OccupancyRow {
  name: string
  href: string
  /** The percentage of rooms that the hotel contract commits the organizer to; null without an attrition clause. */
  commitPercent: number | null
  nights: Map<string, RoomNightCounts>
}

/** Returns the background tint of a cell, from 1 to 5. The number in the cell says the same, so the tint is only an aid. */
const stepOf = (percent: number) => (percent < 40 ? 1 : percent < 60 ? 2 : percent < 80 ? 3 : percent < 95 ? 4 : 5)

/** The legend of the table: the CSS class of each tint, and the percentages that it stands for. */
const KEY = [
  ['h1', 'under 40%'],
  ['h2', '40 to 59%'],
  ['h3', '60 to 79%'],
  ['h4', '80 to 94%'],
  ['h5', '95% or more'],
  ['low', 'below the committed share'],
] as const

const shareOf = ({ pickup, contracted }: RoomNightCounts) => (contracted === 0 ? null : Math.round((100 * pickup) / contracted))

const Cell = ({ figures, commitPercent }: { figures: RoomNightCounts | undefined; commitPercent: number | null }) => {
  const share = figures ? shareOf(figures) : null
  if (!figures || share === null)
    return (
      <td class="none">
        <span class="hidden">no rooms contracted</span>–
      </td>
    )
  const open = figures.contracted - figures.returned - figures.pickup - figures.held
  return (
    <td class={`h${stepOf(share)}${commitPercent !== null && share < commitPercent ? ' low' : ''}`}>
      <b>{share}%</b>
      <small>{open === 0 ? 'full' : `${open} open`}</small>
    </td>
  )
}

/** The share of contracted rooms that are booked, by night and hotel. A table, because screen readers can read it. */
export const OccupancyHeatMap = ({ nights, rows }: { nights: readonly string[]; rows: readonly OccupancyRow[] }) => (
  <>
    <div class="heat-wrap" tabindex={0} role="region" aria-label="Pickup by night and hotel">
      <table class="heat">
        <caption class="hidden">Share of contracted rooms that are booked, and rooms still open</caption>
        <thead>
          <tr>
            <th scope="col">Hotel</th>
            {nights.map((night) => (
              <th scope="col">{formatShortDay('en-GB', night)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, href, commitPercent, nights: figures }) => (
            <tr>
              <th scope="row">
                <a href={href}>{name}</a>
                {commitPercent === null ? null : <small>commit {commitPercent}%</small>}
              </th>
              {nights.map((night) => (
                <Cell figures={figures.get(night)} commitPercent={commitPercent} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    <ul class="heat-key">
      {KEY.map(([name, label]) => (
        <li>
          <span class={name}></span>
          {label}
        </li>
      ))}
    </ul>
  </>
)
